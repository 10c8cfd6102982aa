/** The decimal text of a whole number of ten-thousandths. */
export function decimalOf(units: bigint): string {
  const [whole = "0", fraction = ""] = [
    String(units / 10_000n),
    String(units % 10_000n)
      .padStart(4, "0")
      .replace(/0+$/, ""),
  ];
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
