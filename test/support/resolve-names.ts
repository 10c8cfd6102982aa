import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { onTestFinished, vi } from "vitest";

/** The machine's resolver knows these names too, until the test ends. */
export function resolveNames(names: Readonly<Record<string, readonly string[]>>): void {
  const real = dns.lookup;
  const lookup = (...parts: Parameters<typeof dns.lookup>): void => {
    const [name] = parts;
    const found = names[name]?.map((address) => ({ address, family: isIP(address) }));
    const callback: unknown = parts.at(-1);
    if (found === undefined || typeof callback !== "function") real(...parts);
    else process.nextTick(callback, null, found);
  };
  const spy = vi.spyOn(dns, "lookup").mockImplementation(Object.assign(lookup, { __promisify__: real.__promisify__ }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}
