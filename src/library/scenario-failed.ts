/** Scenarios that did not come out as told. The message holds each one's step, its place in the file, and what differed. */
export class ScenarioFailed extends Error {
  override readonly name = "ScenarioFailed";
}
