"""A shop that listens for webhooks: it ships what is paid, and nothing else."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from payments import is_genuine, read_event


class Shop:
    def __init__(self, payments, secret_key):
        self.payments = payments
        self.secret_key = secret_key
        self.orders = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._receiver())
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def checkout(self, order_id, amount):
        charge = self.payments.create_charge(order_id, amount)
        self.orders[order_id] = "unpaid"
        return charge

    def follow(self, event):
        """An event may come again, and late: what is shipped stays shipped."""
        charge = event["data"]
        if self.orders.get(charge.get("externalId")) != "unpaid":
            return
        if charge["status"] == "paid":
            self.orders[charge["externalId"]] = "shipped"
        elif charge["status"] == "dropped":
            self.orders[charge["externalId"]] = "cancelled"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def _receiver(self):
        shop = self

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                raw_body = self.rfile.read(int(self.headers["Content-Length"]))
                signatures = self.headers.get_all("x-service-hmac-sha256", [])
                self.send_response(self.answer(raw_body, signatures))
                self.end_headers()

            def answer(self, raw_body, signatures):
                if not is_genuine(raw_body, signatures, shop.secret_key):
                    return 401
                event = read_event(raw_body)
                if event is None:
                    return 400
                shop.follow(event)
                return 204

            def log_message(self, *_):
                pass

        return Receiver
