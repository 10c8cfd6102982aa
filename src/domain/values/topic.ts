/**
 * The four topics. The contract writes each in two spellings: "The topic string that the service stores and matches is therefore
 * ambiguous." Both are accepted everywhere and match each other.
 */
export type Topic = "transactions/started" | "transactions/completed" | "transactions/failed" | "charges/events";

export const topics = [
  "transactions/started",
  "transactions/completed",
  "transactions/failed",
  "charges/events",
] as const satisfies readonly Topic[];

/** Every spelling that is accepted, plural first. */
export const topicSpellings: readonly string[] = topics.flatMap((topic) => [topic, singularOf(topic)]);

const bySpelling: ReadonlyMap<string, Topic> = new Map(
  topics.flatMap((topic) => [
    [topic, topic],
    [singularOf(topic), topic],
  ]),
);

/** The topic behind either spelling. */
export function findTopic(text: string): Topic | undefined {
  return bySpelling.get(text);
}

/** `transactions/started` → `transaction/started`. */
export function singularOf(topic: Topic): string {
  return topic.replace("s/", "/");
}
