import { type Money, toXof } from "../../domain/values/money.js";

/** As people who pay in XOF write it, in every language of the pages. */
const format = new Intl.NumberFormat("fr", {
  style: "currency",
  currency: "XOF",
  minimumFractionDigits: 0,
  maximumFractionDigits: 4,
});

/** `10 000 F CFA`, with narrow no-break spaces. */
export function showMoney(money: Money): string {
  return format.format(toXof(money)).replaceAll("\u00a0", "\u202f");
}
