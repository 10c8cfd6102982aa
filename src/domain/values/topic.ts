/**
 * The four topics. Either spelling of each is accepted everywhere and matches the other. The contract: "The topic string that the service stores and
 * matches is therefore ambiguous."
 */
export const topics = [
  "transactions/started",
  "transactions/completed",
  "transactions/failed",
  "charges/events",
] as const;

export type Topic = (typeof topics)[number];

/** Every spelling that is accepted, plural first. */
export const topicSpellings: readonly string[] = topics.flatMap((topic) => [topic, singularOf(topic)]);

/** The topic behind either spelling. */
export function findTopic(text: string): Topic | undefined {
  return topics.find((topic) => text === topic || text === singularOf(topic));
}

/** `transactions/started` → `transaction/started`. */
export function singularOf(topic: Topic): string {
  return topic.replace("s/", "/");
}
