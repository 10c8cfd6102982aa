import type { Hono } from "hono";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { AppExtensions } from "./app-extensions.js";
import { answerProblem } from "./api/answer.js";
import type { HttpEnv } from "./shared/env.js";

/** The control API, loaded with the first call of it: a third of what a start would load, which an application under test never asks for. */
export function addControlRoutes(app: Hono<HttpEnv>, sandbox: Sandbox, extensions: AppExtensions): void {
  const load = async (): Promise<Hono<HttpEnv>> => {
    const { createControlApp } = await import("./control/control-app.js");
    const control = createControlApp(sandbox, extensions);
    control.onError((error, c) => answerProblem(sandbox, undefined, c.req.path, error));
    return control;
  };
  let loading: Promise<Hono<HttpEnv>> | undefined;
  app.all("/_sandbox/*", async (c) => {
    loading ??= load();
    return (await loading).fetch(c.req.raw, c.env);
  });
}
