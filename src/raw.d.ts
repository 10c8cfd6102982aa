/** The text of a file, from the bundler and from Vitest. */
declare module "*?raw" {
  const text: string;
  export default text;
}
