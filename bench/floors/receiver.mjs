/**
 * A receiver of webhooks that only answers 200. Counts POST requests to any path; GET returns the count. Prints its address on the first line.
 */
import { createServer } from "node:http";

let received = 0;
const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ received }));
    return;
  }
  request.resume();
  request.on("end", () => {
    received++;
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
