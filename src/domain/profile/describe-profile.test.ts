import { expect, it } from "vitest";
import { acceptedProfile } from "../../../test/support/profiles.js";
import { describeProfile } from "./describe-profile.js";
import { settings } from "./settings.js";

it("describes every setting with the value in use", () => {
  const { values } = acceptedProfile({ transfers: { settlement: "manual" }, charges: { paymentUrlOnRead: true } });
  const rows = describeProfile(values);
  expect(rows.map(({ setting }) => setting)).toEqual(settings.map(({ path }) => path));
  expect(rows.filter(({ value, default: byDefault }) => value !== byDefault).map(({ setting }) => setting)).toEqual([
    "transfers.settlement",
    "charges.paymentUrlOnRead",
  ]);
  expect(rows.find(({ setting }) => setting === "charges.paymentUrlOnRead")).toEqual({
    setting: "charges.paymentUrlOnRead",
    summary: "Whether a GET shows `paymentUrl`: by default only the creation response does.",
    value: true,
    default: false,
    alternatives: [{ value: true, effect: "A GET shows it too." }],
    question: "Does a GET show `paymentUrl`?",
    contract: "Present in the creation response; the link the customer uses to pay.",
  });
  expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
});
