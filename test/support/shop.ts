import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { root } from "./markdown.js";

export interface Shop {
  /** The address of its webhook receiver. */
  readonly url: string;
  nextLine(): Promise<string>;
}

/** A receiver of examples/first-bug on a free port, until the test ends. */
export async function startShop(file: "buggy-receiver.mjs" | "receiver.mjs"): Promise<Shop> {
  const child = spawn(process.execPath, [`${root}examples/first-bug/${file}`], {
    env: { PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  const url = (await nextLine()).replace("listening on ", "");
  return { url, nextLine };
}
