"""A shop against the sandbox, from a language that knows nothing of it but HTTP:

    npx business-payments-sandbox exec --clock frozen -- python3 -m unittest
"""

import os
import unittest
import urllib.error
import urllib.request

from payments import Payments, PaymentsError
from shop import Shop

SUCCESS = "+2250700000001"
DECLINED = "+2250700000002"


class ShopTest(unittest.TestCase):
    def setUp(self):
        self.payments = Payments.from_environment()
        self.control("POST", "/reset")
        self.shop = Shop(self.payments, os.environ["SANDBOX_SECRET_KEY"])
        self.addCleanup(self.shop.close)
        self.payments.call("POST", "/v1/webhooks", {"topic": "charges/events", "url": self.shop.url})

    def control(self, method, path, body=None):
        """The control API: time, and what the world does."""
        return self.payments.call(method, f"/_sandbox{path}", body)

    def pay(self, charge, msisdn=SUCCESS):
        """What the customer does; and every webhook of it has arrived."""
        self.payments.call("POST", f"/v1/charges/{charge['id']}/pay", {"msisdn": msisdn})
        self.control("POST", "/settle", {})

    def test_an_order_is_shipped_once_it_is_paid(self):
        charge = self.shop.checkout("order-1", 10_000)
        self.assertEqual(self.shop.orders["order-1"], "unpaid")
        self.pay(charge)
        self.assertEqual(self.shop.orders["order-1"], "shipped")

    def test_an_order_stays_unpaid_when_the_payment_is_declined(self):
        self.pay(self.shop.checkout("order-1", 10_000), DECLINED)
        self.assertEqual(self.shop.orders["order-1"], "unpaid")

    def test_an_order_that_nobody_pays_is_cancelled_after_an_hour(self):
        self.shop.checkout("order-1", 10_000)
        self.control("POST", "/clock/advance", {"by": "59m59s"})
        self.assertEqual(self.shop.orders["order-1"], "unpaid")
        advanced = self.control("POST", "/clock/advance", {"by": "1s"})
        self.assertEqual(advanced["deliveries"], {"attempted": 1, "succeeded": 1, "failed": 0})
        self.assertEqual(self.shop.orders["order-1"], "cancelled")

    def test_an_order_is_charged_once(self):
        self.shop.checkout("order-1", 10_000)
        with self.assertRaises(PaymentsError) as refused:
            self.shop.checkout("order-1", 10_000)
        self.assertEqual(refused.exception.status, 409)

    def test_a_webhook_that_somebody_else_signed_is_refused(self):
        self.shop.checkout("order-1", 10_000)
        body = b'{"topic":"charges/events","data":{"externalId":"order-1","status":"paid"}}'
        forged = urllib.request.Request(self.shop.url, body, {"x-service-hmac-sha256": "guess"})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(forged, timeout=30)
        refused.exception.close()
        self.assertEqual(refused.exception.code, 401)
        self.assertEqual(self.shop.orders["order-1"], "unpaid")


if __name__ == "__main__":
    unittest.main()
