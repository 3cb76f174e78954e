// The compiled core for the package of the native build, where that does not load.
import text from "#module";
import { startText } from "./start.js";

export const fallback = () => startText(text);
