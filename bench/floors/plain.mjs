/** The three measured requests over `node:http` and nothing else. The first line of its output is its address, as JSON. */
import { createServer } from "node:http";
import { balance, createCharge, getCharge, isAuthorized } from "./charges.mjs";

const server = createServer((request, response) => {
  const { method, url, headers } = request;
  if (!isAuthorized(headers.authorization)) return answer(response, 401, { statusCode: 401 });
  if (method === "GET" && url === "/v1/balance") return answer(response, 200, balance());
  if (method === "GET" && url.startsWith("/v1/charges/")) {
    const charge = getCharge(url.slice("/v1/charges/".length));
    return charge === undefined ? answer(response, 404, { statusCode: 404 }) : answer(response, 200, charge);
  }
  if (method !== "POST" || url !== "/v1/charges") return answer(response, 404, { statusCode: 404 });
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    const { status, body } = createCharge(JSON.parse(text), headers["x-company-id"], `http://${headers.host}`);
    answer(response, status, body);
  });
});

function answer(response, status, body) {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    .end(text);
}

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
