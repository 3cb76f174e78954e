// The compiled core for the package of the native build, where that does not load.
import { module as backoff } from "#module/backoff";
import { module as engine } from "#module/engine";
import { module as http } from "#module/http";
import { module as stored } from "#module/stored";
import { start, startAsked } from "./start.js";

export const fallback = () => ({
  engine: start(engine()),
  asked: { http: startAsked(http), backoff: startAsked(backoff), stored: startAsked(stored) },
});
