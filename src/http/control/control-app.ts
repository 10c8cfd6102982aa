import { Hono } from "hono";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpEnv } from "../env.js";

export function createControlApp(_sandbox: Sandbox): Hono<HttpEnv> {
  return new Hono<HttpEnv>();
}
