/** What was given, for a message: enough to recognise it, never a megabyte of it. */
export function quote(text: string, charactersMax = 60): string {
  return JSON.stringify(text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text);
}
