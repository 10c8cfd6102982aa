import { spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SnippetLanguage } from "../../src/audit/checks/snippets.js";
import { snippets } from "../../src/audit/checks/snippets.js";
import { folderWith } from "../support/folder.js";
import { SECRET } from "./receivers.js";

/** A shop in some language: a receiver that consists of the audit's own snippets, and orders behind it. */
export interface Shop {
  readonly webhooks: string;
  /** GET: how many orders have which status. */
  readonly state: string;
  /** POST: makes an order, and answers with its charge. */
  readonly orders: string;
}

/** A part of the correct program, and its replacement in the wrong one. */
export type Mistake = readonly [right: string, wrong: string];

/** Why a shop in that language cannot be run here; undefined when it can. */
export function whyMissing(language: SnippetLanguage): string | undefined {
  const { program, probe } = languages[language];
  const { status } = spawnSync(program, probe, { stdio: "ignore" });
  return status === 0 ? undefined : `${program} is not installed, or not with what the shop needs (${probe.join(" ")})`;
}

/** Starts it on a free port, until the test ends. */
export async function startShop(language: SnippetLanguage, mistake?: Mistake): Promise<Shop> {
  const { program, file, source, argumentsFor, address } = languages[language];
  const text = mistake === undefined ? source : source.replace(mistake[0], mistake[1]);
  if (mistake !== undefined && text === source) throw new Error(`${file} has no ${JSON.stringify(mistake[0])}`);
  const folder = await folderWith({});
  await writeFile(join(folder, file), text);
  const child = spawn(program, argumentsFor(file), {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", SECRET_KEY: SECRET },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  onTestFinished(() => {
    process.off("exit", kill);
    kill();
  });
  let output = "";
  const origin = await new Promise<string>((resolve, reject) => {
    const listen = (piece: Buffer): void => {
      output += piece.toString();
      const [, port] = address.exec(output) ?? [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}: ${output}`)));
  });
  return { webhooks: `${origin}/webhooks`, state: `${origin}/state`, orders: `${origin}/orders` };
}

interface Language {
  readonly program: string;
  /** A command that exits with 0 if everything is installed. */
  readonly probe: readonly string[];
  readonly file: string;
  readonly source: string;
  readonly argumentsFor: (file: string) => string[];
  /** Matches the line in which the program says where it listens. */
  readonly address: RegExp;
}

const codeOf = (language: SnippetLanguage): string =>
  Object.values(snippets)
    .map(({ code }) => code[language])
    .join("\n\n");

const node = `${codeOf("node")}

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const orders = new Map();

function receive(rawBody, header) {
  if (!isGenuine(rawBody, header, process.env.SECRET_KEY)) return 401;
  const event = readEvent(rawBody);
  if (event === null) return 400;
  if (/^charges?[/]events$/.test(event.topic)) moveOrder(orders, event.data);
  return 200;
}

function route(request, rawBody) {
  if (request.url === "/webhooks") return [receive(rawBody, request.headers["x-service-hmac-sha256"]), null];
  if (request.url === "/state") {
    const counts = {};
    for (const { status } of orders.values()) counts[status] = (counts[status] ?? 0) + 1;
    return [200, counts];
  }
  const charge = { id: randomUUID(), externalId: randomUUID() };
  orders.set(charge.externalId, { status: "due" });
  return [201, charge];
}

createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    try {
      const [status, answer] = route(request, Buffer.concat(pieces));
      response.writeHead(status).end(JSON.stringify(answer));
    } catch {
      response.writeHead(500).end();
    }
  });
}).listen(0, "127.0.0.1", function () {
  console.log("port " + this.address().port);
});
`;

const python = `${codeOf("python")}


import os
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ORDERS = {}


def receive(raw_body, headers):
    if not is_genuine(raw_body, headers, os.environ["SECRET_KEY"]):
        return 401
    event = read_event(raw_body)
    if event is None:
        return 400
    if event["topic"] in ("charges/events", "charge/events"):
        move_order(ORDERS, event["data"])
    return 200


class Handler(BaseHTTPRequestHandler):
    def respond(self, status, answer=None):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.respond(200, Counter(order["status"] for order in ORDERS.values()))

    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["content-length"] or 0))
        if self.path == "/orders":
            charge = {"id": str(uuid.uuid4()), "externalId": str(uuid.uuid4())}
            ORDERS[charge["externalId"]] = {"status": "due"}
            return self.respond(201, charge)
        try:
            status = receive(raw_body, self.headers.get_all("x-service-hmac-sha256") or [])
        except Exception:
            status = 500
        self.respond(status)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port", server.server_address[1], flush=True)
server.serve_forever()
`;

const php = `<?php
${codeOf("php")}

$db = new PDO('sqlite:' . __DIR__ . '/orders.sqlite');
$db->exec('CREATE TABLE IF NOT EXISTS orders (external_id TEXT PRIMARY KEY, status TEXT NOT NULL)');

function receive(PDO $db, string $rawBody, ?string $header): int
{
    if (!is_genuine($rawBody, $header, getenv('SECRET_KEY'))) {
        return 401;
    }
    $event = read_event($rawBody);
    if ($event === null) {
        return 400;
    }
    if (in_array($event['topic'], ['charges/events', 'charge/events'], true)) {
        move_order($db, $event['data']);
    }
    return 200;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/state') {
    $rows = $db->query('SELECT status, count(*) FROM orders GROUP BY status');
    echo json_encode((object) $rows->fetchAll(PDO::FETCH_KEY_PAIR));
} elseif ($path === '/orders') {
    $charge = ['id' => bin2hex(random_bytes(16)), 'externalId' => bin2hex(random_bytes(16))];
    $db->prepare("INSERT INTO orders VALUES (?, 'due')")->execute([$charge['externalId']]);
    echo json_encode($charge);
} else {
    $header = $_SERVER['HTTP_X_SERVICE_HMAC_SHA256'] ?? null;
    http_response_code(receive($db, file_get_contents('php://input'), $header));
}
`;

const languages: Readonly<Record<SnippetLanguage, Language>> = {
  node: {
    program: process.execPath,
    probe: ["--version"],
    file: "shop.mjs",
    source: node,
    argumentsFor: (file) => [file],
    address: /port (\d+)\n/,
  },
  python: {
    program: "python3",
    probe: ["-c", "import http.server, hmac"],
    file: "shop.py",
    source: python,
    argumentsFor: (file) => [file],
    address: /port (\d+)\n/,
  },
  php: {
    program: "php",
    probe: ["-r", "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"],
    file: "shop.php",
    source: php,
    argumentsFor: (file) => ["-d", "display_errors=0", "-S", "127.0.0.1:0", file],
    address: /127\.0\.0\.1:(\d+)\) started/,
  },
};
