/** Fields whose values stay out of messages: those end up in terminals, and in the logs of builds. */
const SECRET_FIELDS: ReadonlySet<unknown> = new Set([
  "adminToken",
  "accessToken",
  "accessTokens",
  "token",
  "secretKey",
]);

/** Whether what stands at that place is only its owner's to know. */
export function isSecretPlace(path: readonly PropertyKey[]): boolean {
  return SECRET_FIELDS.has(path.findLast((key) => typeof key !== "number"));
}
