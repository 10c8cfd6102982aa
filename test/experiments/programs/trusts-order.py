"""Sells an order and refunds a part of it. Weakness: the event that came last counts as the latest."""

import sys
from lib import insist, let_pass, receive, sell, try_call

events = receive(["charges/events"])
charge = sell("order-1")
path = f"/v1/charges/{charge['id']}"


def refunded():
    """Asks the service unless both events have come."""
    let_pass("1m")
    last = events[-1]["data"] if len(events) >= 2 else insist("GET", path)[1]
    return last["refunded"]


if insist("GET", path)[1]["status"] != "paid":
    sys.exit("not paid")
for _ in range(5):
    if refunded() > 0:
        sys.exit()
    try_call("POST", path + "/refund", {"amount": 4_000})
sys.exit("not refunded")
