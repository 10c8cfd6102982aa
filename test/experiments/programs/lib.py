"""The code that programs in Python share: calls, time, webhooks."""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URL = os.environ["SANDBOX_URL"]
PAYEE = "+2250700000010"


def call(method, path, body=None, timeout=1.5):
    """One request. Raises OSError or ValueError when no answer comes in time, or one that is no JSON."""
    headers = {
        "Authorization": "Bearer " + os.environ["SANDBOX_ACCESS_TOKEN"],
        "X-Company-Id": os.environ["SANDBOX_COMPANY_ID"],
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def try_call(*request):
    """As call; the status is 0 when there is no answer."""
    try:
        return call(*request)
    except (OSError, ValueError):
        return 0, {}


def let_pass(by):
    """Lets time go by."""
    data = json.dumps({"by": by}).encode()
    headers = {"Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(URL + "/_sandbox/clock/advance", data, headers)).close()


def is_unclear(status):
    return status == 0 or status == 429 or status >= 500


def insist(*request):
    """Sends the same request until its answer is clear. Gives up after five attempts."""
    for _ in range(5):
        status, body = try_call(*request)
        if not is_unclear(status):
            return status, body
        let_pass("10s")
    sys.exit(f"{request[0]} {request[1]} is not answered")


def payout_of(reference, amount=150_000, msisdn=PAYEE):
    return {"type": "transfer", "amount": amount, "msisdn": msisdn, "reference": reference}


def outcome_of(id):
    """Reads a payout until it has ended, for a quarter of an hour."""
    for _ in range(6):
        _, body = insist("GET", f"/v1/transactions/{id}")
        if body["status"] != "pending":
            return body["status"]
        let_pass("3m")
    return "pending"


def sell(external_id, amount=10_000):
    """Sells one order, which the customer pays. Returns the charge."""
    order = {
        "amount": amount,
        "externalId": external_id,
        "description": "Shoes",
        "onCanceledRedirectionUrl": "https://shop.test/no",
        "onCompletedRedirectionUrl": "https://shop.test/yes",
    }
    status, charge = insist("POST", "/v1/charges", order)
    if status == 409:
        sys.exit(f"{external_id} was charged, and its id is lost")
    insist("POST", f"/v1/charges/{charge['id']}/pay")
    return charge


def receive(topics):
    """The genuine webhooks of some topics, as they come."""
    events = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = os.environ["SANDBOX_SECRET_KEY"].encode()
            signature = base64.b64encode(hmac.new(key, body, hashlib.sha256).digest()).decode()
            is_genuine = hmac.compare_digest(signature, self.headers["X-Service-Hmac-Sha256"])
            if is_genuine:
                events.append(json.loads(body))
            self.send_response(200 if is_genuine else 401)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    for topic in topics:
        subscribe(topic, address)
    return events


def subscribe(topic, address):
    """Once: a subscription whose answer was lost is there already."""
    for _ in range(5):
        status, _ = try_call("POST", "/v1/webhooks", {"topic": topic, "url": address})
        if not is_unclear(status):
            return
        _, page = insist("GET", "/v1/webhooks")
        if any(known["url"] == address and known["topic"] == topic for known in page["data"]):
            return
        let_pass("10s")
    sys.exit(f"there is no subscription for {topic}")
