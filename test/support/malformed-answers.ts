import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { longestStop } from "./loop-stops.js";
import { startRawReceiver } from "./raw-receiver.js";

type Answer = (socket: Socket) => void;

const text =
  (bytes: string): Answer =>
  (socket) =>
    void socket.write(bytes, "latin1");
const last =
  (bytes: string): Answer =>
  (socket) =>
    void socket.end(bytes, "latin1");

/** Writes as fast as the client reads, until it leaves. */
const endless =
  (start: string, piece: string): Answer =>
  (socket) => {
    const pieces = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)), "latin1");
    const flood = (): void => {
      while (!socket.destroyed && socket.write(pieces));
    };
    socket.on("drain", flood);
    socket.write(start, "latin1");
    flood();
  };

/** One character at a time. */
const drip =
  (bytes: string): Answer =>
  (socket) => {
    let sent = 0;
    const timer = setInterval(() => socket.write(bytes[sent++ % bytes.length] ?? ""), 2);
    socket.on("close", () => clearInterval(timer));
  };

const head = "HTTP/1.1 200 OK\r\n";
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });

/** Answers of broken or hostile receivers. None is a complete 2xx answer. */
export const malformedAnswers: readonly (readonly [string, Answer])[] = [
  ["the status 000", text("HTTP/1.1 000\r\n\r\n")],
  ["the status 000 with a reason", text("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n")],
  ["the status 001", text("HTTP/1.1 001 \r\nContent-Length: 2\r\n\r\nok")],
  ["the status 099", text("HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n")],
  ["the status 101", text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")],
  ["the status 101 without an upgrade", text("HTTP/1.1 101\r\n\r\n")],
  ["the status 999", text("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n")],
  ["the status 99999", text("HTTP/1.1 99999\r\n\r\n")],
  ["a negative status", text("HTTP/1.1 -200 OK\r\n\r\n")],
  ["a status of letters", text("HTTP/1.1 OK 200\r\n\r\n")],
  ["no status", text("HTTP/1.1\r\n\r\n")],
  ["another version", text("HTTP/9.9 200 OK\r\n\r\n")],
  ["HTTP/0.9", last("<html>hello</html>")],
  ["the preface of HTTP/2", text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")],
  ["a TLS alert", last("\x15\x03\x03\x00\x02\x02\x28")],
  ["binary", last(String.fromCodePoint(...Array.from({ length: 256 }, (_, code) => code)))],
  ["nothing", last("")],
  ["line ends only", endless("", "\r\n")],
  ["an endless reason", endless("HTTP/1.1 200 ", "x")],
  ["an endless header", endless(`${head}X-Long: `, "x")],
  ["endless headers", endless(head, "X-More: x\r\n")],
  ["endless empty headers", endless(head, "a:\r\n")],
  ["2 MB of headers at once", text(`${head}${"X-More: yes\r\n".repeat(160_000)}\r\n`)],
  ["a header without a name", last(`${head}: empty\r\n\r\n`)],
  ["a header with a NUL", last(`${head}X-Nul: a\0b\r\n\r\n`)],
  ["a header with a space in its name", last(`${head}X Space: a\r\n\r\n`)],
  ["two lengths", last(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`)],
  ["a length and chunks", last(`${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`)],
  ["a negative length", last(`${head}Content-Length: -1\r\n\r\n`)],
  ["an enormous length", last(`${head}Content-Length: 99999999999999999999999999\r\n\r\n`)],
  ["a body that is shorter than its length", last(`${head}Content-Length: 100\r\n\r\nhalf`)],
  ["a chunk of no size", last(`${chunked}zz\r\nhello\r\n`)],
  ["a chunk of an enormous size", last(`${chunked}ffffffffffffffffff\r\nhello\r\n`)],
  ["a chunk that is longer than its size", last(`${chunked}2\r\nhello\r\n0\r\n\r\n`)],
  ["an endless chunk extension", endless(`${chunked}2;`, "x")],
  ["an endless trailer", endless(`${chunked}2\r\nok\r\n0\r\n`, "X-More: x\r\n")],
  ["chunks without an end", last(`${chunked}5\r\nhello\r\n`)],
  ["endless 100", endless("", "HTTP/1.1 100 Continue\r\n\r\n")],
  ["endless 102", endless("", "HTTP/1.1 102\r\n\r\n")],
  ["endless 103 with headers", endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n")],
  ["100 and then nothing", last("HTTP/1.1 100 Continue\r\n\r\n")],
  ["half a status line", last("HTTP/1.1 2")],
  ["half a header", last("HTTP/1.1 200 OK\r\nContent-Le")],
  ["a status line, drop by drop", drip("HTTP/1.1 200 OK\r\nX: ")],
  ["a body, drop by drop", (socket) => (socket.write(`${head}Content-Length: 100000\r\n\r\n`), drip("x")(socket))],
  [
    "a reset after the headers",
    (socket) => (socket.write(`${head}Content-Length: 9\r\n\r\n`), socket.resetAndDestroy()),
  ],
  [
    "half of 64 MiB in compressed form",
    (socket) => {
      socket.write(`${head}Content-Encoding: gzip\r\nContent-Type: application/json\r\n`);
      socket.write(`Content-Length: ${bomb.length * 2}\r\n\r\n`);
      socket.end(bomb);
    },
  ],
];

/** Answers with a correct start that are expensive to parse or to decompress. */
export const expensiveAnswers: readonly (readonly [string, Answer])[] = [
  ["a body that never ends", endless(`${head}\r\n`, "x")],
  ["chunks of one byte that never end", endless(chunked, "1\r\nx\r\n")],
  ["300 000 chunks of one byte at once", (socket) => socket.write(chunked + "1\r\nx\r\n".repeat(300_000))],
  [
    "64 MiB, packed",
    (socket) => {
      socket.write(`${head}Content-Encoding: gzip\r\nContent-Type: application/json\r\n`);
      socket.write(`Content-Length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
  ],
];

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

/** The outcome of a client's second request, and how long it stopped the event loop. A first request loads and compiles what is needed. */
export async function askTwice(client: (url: string) => Promise<string>, answer: Answer) {
  const receiver = await startRawReceiver((socket, index) => (index === 0 ? socket.end(OK) : answer(socket)));
  await client(receiver.url);
  let outcome = "";
  const stopMs = await longestStop(async () => {
    outcome = await client(receiver.url);
  });
  return { outcome, stopMs };
}
