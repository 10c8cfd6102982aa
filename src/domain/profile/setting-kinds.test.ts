import { describe, expect, it } from "vitest";
import { allowedHosts } from "./setting-kinds.js";
import { quote } from "../../kernel/messages/text.js";
import { parseProfile } from "./parse-profile.js";

describe("webhooks.allow", () => {
  it.each([
    ["shop.test", "shop.test"],
    ["Shop.Test.", "shop.test"],
    [" localhost ", "localhost"],
    ["my_service", "my_service"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["::1", "::1"],
    ["[2001:DB8:0::1]", "2001:db8::1"],
    ["FC00::/7", "fc00::/7"],
  ])("takes %s as %s", (written, host) => {
    expect(allowedHosts().parse([written])).toEqual({ kind: "list", hosts: [host] });
  });

  it.each([
    "https://shop.test",
    "shop.test:8080",
    "*.shop.test",
    "10.0.0.0/33",
    "10.0/8",
    "300.0.0.1",
    "10.0.1",
    "127",
    "a..b",
    "-a.test",
    "",
    "two words",
    "[::1",
    "x".repeat(64),
  ])("refuses %j with the expected form", (written) => {
    const parsed = parseProfile({ webhooks: { allow: ["localhost", written] } });
    expect(parsed).toEqual({
      ok: false,
      problems: [
        {
          path: ["webhooks", "allow", 1],
          message:
            `webhooks.allow[1]: ${quote(written)} is not a host name, an IP address or a CIDR such as ` +
            "10.0.0.0/8, without scheme, port or wildcard",
        },
      ],
    });
  });

  it("refuses a value that is not a list", () => {
    const parsed = parseProfile({ webhooks: { allow: "shop.test" } });
    expect(parsed).toMatchObject({
      problems: [
        { message: 'webhooks.allow must be "any" or a list of host names, IP addresses and CIDRs, not "shop.test"' },
      ],
    });
  });
});
