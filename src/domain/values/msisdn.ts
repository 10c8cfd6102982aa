/** 8 to 15 digits after an optional `+` or `00`. */
const MSISDN = /^(?:\+|00)?(\d{8,15})$/;

/** The country prefix of Côte d'Ivoire, in the XOF zone. */
const COUNTRY_PREFIX = "225";
/** The length of the shortest number. If a shorter remainder is left, 225 belongs to the number itself. */
const DIGITS_MIN = 8;

export function isMsisdn(text: string): boolean {
  return MSISDN.test(text);
}

/** Digits only, as `recipientMsisdn` shows them: without `+` or `00`. */
export function digitsOf(msisdn: string): string {
  return MSISDN.exec(msisdn)?.[1] ?? msisdn;
}

/** The same key for every way of writing one number: with or without `+`, `00`, or the country prefix 225. */
export function msisdnKey(msisdn: string): string {
  const digits = digitsOf(msisdn);
  const national = digits.startsWith(COUNTRY_PREFIX) ? digits.slice(COUNTRY_PREFIX.length) : digits;
  return national.length >= DIGITS_MIN ? national : digits;
}
