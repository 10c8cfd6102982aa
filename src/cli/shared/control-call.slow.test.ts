import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { serveHttp } from "../../../test/support/listen.js";
import { callControl } from "./control-call.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

it("ends in time when memory is collected while an answer goes on for ever", async () => {
  const url = await serveHttp((_, response) => {
    const timer = setInterval(() => {
      response.write(" ");
      collect();
    }, 20);
    response.once("close", () => clearInterval(timer));
  });
  const called = callControl(
    { url, company: undefined, adminToken: undefined },
    { method: "GET", path: "/clock" },
    1_000,
  );
  await expect(called).rejects.toThrow("it is not a sandbox");
});
