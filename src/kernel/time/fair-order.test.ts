import { expect, it } from "vitest";
import { FairOrder } from "./fair-order.js";

it("lets clients begin in turn, however many requests of one client wait", async () => {
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
  expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "a4"]);
});

it("begins one request in each turn of the event loop, however many clients there are", async () => {
  const order = new FairOrder();
  let begun = 0;
  for (const client of ["a", "b", "c"]) order.take(client, () => begun++);
  for (let turn = 1; turn <= 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(turn);
  }
});

it("lets work that has begun continue before other work of its client", async () => {
  const order = new FairOrder();
  const begun: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let part = 1; part <= 2; part++) {
      await new Promise<void>((resolve) => order.take("a", resolve, part > 1));
      begun.push(`${name}${part}`);
    }
  };
  await Promise.all(["x", "y", "z"].map(work));
  expect(begun).toEqual(["x1", "x2", "y1", "y2", "z1", "z2"]);
});
