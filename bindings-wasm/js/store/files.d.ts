/** The text of a script. */
declare module "*.lua" {
  const text: string;
  export default text;
}

/** The text of statements. */
declare module "*.sql" {
  const text: string;
  export default text;
}
