import { describe, expect, it } from "vitest";
import { hmac, startReceiver, take } from "../audit/receivers.js";
import { openAuditDesk, SECRET_KEY, sound, startHeld, takesHex } from "../support/audit-desk.js";
import { DASHBOARD, visit } from "../support/dashboard.js";
import { startLive } from "../support/live.js";

describe("an audit from the dashboard", () => {
  it("finds nothing wrong with a correct receiver", async () => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver(sound);
    const page = await desk.audit({ url: receiver.url });
    expect(page.status).toBe(200);
    expect(page.text).toContain("No mistake was found");
    expect(page.html).not.toContain("mistake-");
    expect(page.text).toMatch(/0 failed, 0 warned, \d\d passed/);
    expect(page.text).toContain(`${receiver.received.length} requests in`);
    expect(page.commands).toEqual([
      `npx business-payments-sandbox audit '${receiver.url}' --secret "$SANDBOX_SECRET_KEY"`,
    ]);
  });

  it("reports the one mistake of a receiver, with its fix in three languages", async () => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver(takesHex);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("One check failed");
    expect([...page.html.matchAll(/id="mistake-([^"]*)"/g)].map(([, id]) => id)).toEqual(["signature-hex"]);
    expect(page.text).toMatch(/fail signature-hex (?:critical|high)/);
    for (const said of ["Expected", "Sent", "Came back 200", "Why it matters:", "How to fix it:"])
      expect(page.text).toContain(said);
    for (const language of ["node", "python", "php"])
      expect(page.html).toContain(`<details id="code-signature-hex-${language}">`);
    expect(page.text).toContain("hmac.compare_digest");
    expect(page.html).not.toContain(SECRET_KEY);
    const again = await desk.get(`${DASHBOARD}/audit`);
    expect(again.text).toContain("1 failed");
  });

  it("reports first that an ordinary event is not accepted, without naming command-line options", async () => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver(() => 401);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("An ordinary event with the right signature is not accepted");
    expect(page.text).toContain("signs with the company's secret key");
    expect(page.text).not.toContain("--header");
    expect(page.html).not.toContain(SECRET_KEY);
  });

  it("uses the header, topic and secret key of the company", async () => {
    const desk = await openAuditDesk({ profile: { webhooks: { signatureHeader: "x-hook-signature" } } });
    const receiver = await startReceiver(({ headers, body }) =>
      headers["x-hook-signature"] === hmac(body, "base64", SECRET_KEY) ? take(body) : 401,
    );
    await desk.world.api("POST", "/v1/webhooks", { topic: "transaction/completed", url: receiver.url });
    expect((await desk.get(`${DASHBOARD}/audit`)).html).toContain(`<option value="${receiver.url}">`);
    const page = await desk.audit({ url: receiver.url });
    expect(page.text).toContain("No mistake was found");
    expect(JSON.parse(String(receiver.received[0]?.body)).topic).toBe("transaction/completed");
    expect(page.commands[0]).toMatch(/--header 'x-hook-signature' --topic transaction\/completed$/);
  });

  it("shows what a receiver answers as text, without the secret key", async () => {
    const desk = await openAuditDesk();
    const receiver = await startReceiver(() => 302, { location: `/<script>alert(1)</script>?key=${SECRET_KEY}` });
    const page = await desk.audit({ url: `${receiver.url}?<b>"x"&key=${SECRET_KEY}` });
    expect(page.status).toBe(200);
    expect(page.html).not.toContain("<script>alert");
    expect(page.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page.html).not.toContain(SECRET_KEY);
    expect(page.html).not.toContain("<b>&quot;x");
  });
});

describe("an audit takes its time", () => {
  it("and ends when nobody waits for it any more, or when the server stops", async () => {
    const live = await startLive();
    const visitor = visit(live.app, live.url);
    const page = await visitor.get(`${DASHBOARD}/audit`);
    const formToken = /name="formToken" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const send = (url: string, signal?: AbortSignal): Promise<Response> =>
      fetch(`${live.url}${DASHBOARD}/audit`, {
        method: "POST",
        headers: { origin: live.url, cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; ") },
        body: new URLSearchParams({ formToken, url }),
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
      });
    const left = await startHeld();
    const leaving = new AbortController();
    const first = send(left.url, leaving.signal);
    await left.asked;
    leaving.abort();
    await expect(first).rejects.toThrow("aborted");
    // Only the fact that the next audit may begin shows that the server has noticed that its client left.
    const held = await startHeld();
    let second = send(held.url);
    while ((await Promise.race([held.asked.then(() => undefined), second]))?.status === 303) second = send(held.url);
    await live.close();
    const answer = await second;
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toContain("/audit?outcome=");
    expect(left.received).toHaveLength(1);
    expect(held.received).toHaveLength(1);
  });
});
