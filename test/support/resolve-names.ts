import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { onTestFinished, vi } from "vitest";

/** Makes the machine's resolver and the name servers know these names too, until the test ends. */
export function resolveNames(names: Readonly<Record<string, readonly string[]>>): void {
  const real = dns.lookup;
  replaceLookup((...parts) => {
    const [name] = parts;
    const found = names[name]?.map((address) => ({ address, family: isIP(address) }));
    const callback: unknown = parts.at(-1);
    if (found === undefined || typeof callback !== "function") real(...parts);
    else process.nextTick(callback, null, found);
  });
  const { prototype } = dns.promises.Resolver;
  for (const [method, family] of [["resolve4", 4] as const, ["resolve6", 6] as const]) {
    const spy = vi.spyOn(prototype, method).mockImplementation(async (name: string) => {
      const found = names[name]?.filter((address) => isIP(address) === family) ?? [];
      if (found.length === 0) throw Object.assign(new Error(`${name} has no such address`), { code: "ENODATA" });
      return found;
    });
    onTestFinished(() => spy.mockRestore());
  }
}

/** Keeps the machine's resolver from answering, until the test ends. */
export function silenceResolver(): void {
  replaceLookup(() => undefined);
}

function replaceLookup(lookup: (...parts: Parameters<typeof dns.lookup>) => void): void {
  const { __promisify__ } = dns.lookup;
  const spy = vi.spyOn(dns, "lookup").mockImplementation(Object.assign(lookup, { __promisify__ }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}
