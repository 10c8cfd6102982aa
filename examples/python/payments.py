"""What the shop uses of the payments API. Nothing but the standard library."""

import base64
import hashlib
import hmac
import json
import os
import urllib.error
import urllib.request


class PaymentsError(Exception):
    """The API refused; its message names what is wrong."""

    def __init__(self, status, messages):
        super().__init__("; ".join(messages))
        self.status = status


class Payments:
    def __init__(self, url, access_token, company_id):
        self.url = url
        self.headers = {
            "Authorization": f"Bearer {access_token}",
            "X-Company-Id": company_id,
            "Content-Type": "application/json",
        }

    @classmethod
    def from_environment(cls):
        """`exec` sets these."""
        return cls(os.environ["SANDBOX_URL"], os.environ["SANDBOX_ACCESS_TOKEN"], os.environ["SANDBOX_COMPANY_ID"])

    def create_charge(self, order_id, amount):
        """Amount in XOF. Returns the charge, whose paymentUrl is where the customer pays."""
        return self.call(
            "POST",
            "/v1/charges",
            {
                "amount": amount,
                "externalId": order_id,
                "description": f"Order {order_id}",
                "onCompletedRedirectionUrl": f"https://shop.test/orders/{order_id}",
                "onCanceledRedirectionUrl": f"https://shop.test/orders/{order_id}/pay",
            },
        )

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, self.headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.loads(response.read() or "null")
        except urllib.error.HTTPError as error:
            with error:
                raise PaymentsError(error.code, json.loads(error.read())["message"]) from None


def is_genuine(raw_body, signatures, secret_key):
    """The header is the base64 HMAC-SHA256 of the raw body, under the secret key; of two headers none is."""
    if len(signatures) != 1 or not secret_key:
        return False
    expected = base64.b64encode(hmac.new(secret_key.encode(), raw_body, hashlib.sha256).digest())
    return hmac.compare_digest(expected, signatures[0].encode())


def read_event(raw_body):
    """Its topic and data, or None where it is no event."""
    try:
        event = json.loads(raw_body)
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("data"), dict) else None
