/** The element of an id, which must be of this kind. */
export function byId<E extends Element>(id: string, kind: abstract new () => E): E {
  return expectKind(document.getElementById(id), kind, `#${id}`);
}

/** The element that carries `data-part="name"` within another. */
export function part<E extends Element = HTMLElement>(
  within: ParentNode,
  name: string,
  kind: abstract new () => E = HTMLElement as unknown as abstract new () => E,
): E {
  return expectKind(within.querySelector(`[data-part="${name}"]`), kind, name);
}

function expectKind<E extends Element>(found: Element | null, kind: abstract new () => E, name: string): E {
  if (!(found instanceof kind)) throw new Error(`${name} is no ${kind.name}`);
  return found;
}

/** A new element with attributes and content. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

/** Sets a text, unless it is there already: what has not changed is not laid out again. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Fills a list of choices. */
export function choices(
  select: HTMLSelectElement,
  values: readonly number[],
  label: (value: number) => string,
): void {
  select.replaceChildren(...values.map((value) => make("option", { value: String(value) }, label(value))));
}
