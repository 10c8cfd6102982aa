import { expect, it } from "vitest";
import { FairOrder } from "./fair-order.js";

it("lets each client begin one request in a turn, however many of another wait", async () => {
  const order = new FairOrder();
  const begun: string[] = [];
  const take = (client: string, request: string): Promise<void> =>
    new Promise((resolve) =>
      order.take(client, () => {
        begun.push(request);
        resolve();
      }),
    );
  const many = ["a1", "a2", "a3", "a4"].map((request) => take("a", request));
  const others = [take("b", "b1"), take("c", "c1"), take("b", "b2")];
  await Promise.all(others);
  await take("c", "c2");
  await Promise.all(many);
  expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "c2", "a4"]);
});
