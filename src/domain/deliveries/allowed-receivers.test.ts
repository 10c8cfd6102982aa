import { describe, expect, it } from "vitest";
import { isAddressAllowed, isHostAllowed, isReceiverAllowed, listsMetadata } from "./allowed-receivers.js";

describe("any host", () => {
  const any = { kind: "any" } as const;

  it.each([
    "http://127.0.0.1:3000/hook",
    "http://localhost/hook",
    "http://[::1]:3000/",
    "http://10.0.0.8/",
    "http://192.168.1.1/",
    "https://shop.test/hook",
    "http://169.253.1.1/",
    "http://[fc00::1]/",
    "http://metadata.shop.test/",
  ])("takes %s", (url) => expect(isReceiverAllowed(any, url)).toBe(true));

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://169.254.0.1/",
    "http://169.254.169.254./",
    "http://2852039166/", // the same address, written as one number
    "http://0xa9fea9fe/",
    "http://[fe80::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::169.254.169.254]/",
    "http://[::a9fe:a9fe]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://metadata.google.internal/",
    "http://METADATA.google.internal./",
    "http://metadata/",
  ])("refuses %s", (url) => expect(isReceiverAllowed(any, url)).toBe(false));
});

describe("a list", () => {
  const allow = {
    kind: "list",
    hosts: ["shop.test", "127.0.0.1", "10.0.0.0/8", "::1", "fc00::/7", "metadata"],
  } as const;

  it.each([
    "https://shop.test/hook",
    "https://SHOP.test./hook",
    "https://user:pw@shop.test:8443/hook?x=1",
    "http://127.0.0.1:3000/",
    "http://2130706433/",
    "http://10.255.0.1/",
    "http://[::1]/",
    "http://[fc12::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://metadata/",
  ])("takes %s", (url) => expect(isReceiverAllowed(allow, url)).toBe(true));

  it.each([
    "https://www.shop.test/",
    "https://shop.test.evil.example/",
    "https://evil.example/?shop.test",
    "http://127.0.0.2/",
    "http://11.0.0.1/",
    "http://[::2]/",
    "http://localhost/",
  ])("refuses %s", (url) => expect(isReceiverAllowed(allow, url)).toBe(false));

  it("that is empty allows no receiver", () => {
    expect(isReceiverAllowed({ kind: "list", hosts: [] }, "http://127.0.0.1/")).toBe(false);
  });

  it("applies to the addresses that a name resolves to", () => {
    expect(isHostAllowed(allow, "10.1.2.3")).toBe(true);
    expect(isHostAllowed(allow, "12.1.2.3")).toBe(false);
  });
});

describe("a tenant of an operator that permits any host", () => {
  const tenant = { kind: "tenant", own: { kind: "any" }, operator: { kind: "any" } } as const;

  it.each(["https://shop.test/hook", "http://8.8.8.8/", "http://[2606:4700::1111]/", "http://[64:ff9b::808:808]/"])(
    "may send to %s",
    (url) => expect(isReceiverAllowed(tenant, url)).toBe(true),
  );

  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://10.0.0.8/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/",
    "http://168.63.129.16/",
    "http://224.0.0.1/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b:1:7f00:0:100:808:808]/",
    "http://[2002:a00:1::]/",
    "http://[fc00::1]/",
    "http://[fec0::1]/",
    "http://metadata.google.internal/",
  ])("may not send to %s", (url) => expect(isReceiverAllowed(tenant, url)).toBe(false));

  it.each([
    ["93.184.216.34", true],
    ["127.0.0.1", false],
    ["::1", false],
    ["10.0.0.7", false],
    ["::7f00:1", false],
  ])("may reach %s by a name: %j", (address, allowed) => expect(isAddressAllowed(tenant, address)).toBe(allowed));
});

describe("a tenant of an operator with a list", () => {
  const operator = { kind: "list", hosts: ["hooks.team.test", "10.20.0.0/16"] } as const;
  const tenantOf = (own: Parameters<typeof isReceiverAllowed>[0]) => ({ kind: "tenant", own, operator }) as const;
  const any = tenantOf({ kind: "any" });

  it.each([
    ["http://hooks.team.test/", true],
    ["http://10.20.0.5/", true],
    ["http://10.21.0.5/", false],
    ["https://shop.test/", false],
  ])("%s: %j", (url, allowed) => expect(isReceiverAllowed(any, url)).toBe(allowed));

  it.each([
    ["10.20.0.5", true],
    ["93.184.216.34", true],
    ["10.21.0.5", false],
    ["127.0.0.1", false],
  ])("may reach %s by a listed name: %j", (address, allowed) => expect(isAddressAllowed(any, address)).toBe(allowed));

  it("can only narrow it", () => {
    const own = tenantOf({ kind: "list", hosts: ["127.0.0.1", "10.20.0.5", "shop.test"] });
    expect(isReceiverAllowed(own, "http://127.0.0.1/")).toBe(false);
    expect(isReceiverAllowed(own, "https://shop.test/")).toBe(false);
    expect(isReceiverAllowed(own, "http://hooks.team.test/")).toBe(false);
    expect(isReceiverAllowed(own, "http://10.20.0.5/")).toBe(true);
  });
});

describe("an address that a name resolves to", () => {
  const list = (...hosts: string[]) => ({ kind: "list" as const, hosts });

  it.each([
    ["169.254.169.254", { kind: "any" as const }, false],
    ["::ffff:169.254.169.254", { kind: "any" as const }, false],
    ["fe80::1%eth0", { kind: "any" as const }, false],
    ["fd00:ec2::254", { kind: "any" as const }, false],
    ["10.0.0.7", { kind: "any" as const }, true],
    ["127.0.0.1", { kind: "any" as const }, true],
    ["169.254.169.254", list("shop.test"), false],
    ["168.63.129.16", list("shop.test", "10.0.0.0/8"), false],
    ["10.0.0.7", list("shop.test"), true],
    ["169.254.169.254", list("shop.test", "169.254.169.254"), true],
    ["169.254.169.254", list("shop.test", "169.254.0.0/16"), true],
    ["::ffff:169.254.169.254", list("shop.test", "169.254.0.0/16"), true],
    ["169.254.170.2", list("shop.test", "169.254.169.254"), false],
    ["not an address", { kind: "any" as const }, false],
  ])("%s under %j: %j", (address, allow, allowed) => {
    expect(isAddressAllowed(allow, address)).toBe(allowed);
  });

  it.each([
    [list("169.254.1.0/24"), true],
    [list("shop.test", "0.0.0.0/0"), true],
    [list("::/0"), true],
    [list("fe80::7"), true],
    [list("168.63.129.16"), true],
    [list("shop.test", "10.0.0.0/8", "fd00::/64"), false],
    [{ kind: "any" as const }, false],
  ])("%j lists an otherwise refused address: %j", (allow, lists) => {
    expect(listsMetadata(allow)).toBe(lists);
  });
});
