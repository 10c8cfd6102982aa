"""Correct. Sells an order and pays the seller once: an event is a hint to read the charge, and the payout has the order's reference."""

import sys
from lib import insist, let_pass, outcome_of, payout_of, receive, sell

events = receive(["charges/events"])
charge = sell("order-1")
let_pass("30m")
payouts = {}
# Reads the charge even if no event came.
for id in [event["data"]["id"] for event in events] + [charge["id"]]:
    _, charge = insist("GET", f"/v1/charges/{id}")
    if charge["status"] != "paid" or id in payouts:
        continue
    status, body = insist("POST", "/v1/transactions", payout_of(f"seller-of-{charge['externalId']}", 9_000))
    if status != 201:
        sys.exit("it is not known how the payout to the seller ends")
    payouts[id] = body["id"]
if charge["id"] not in payouts or outcome_of(payouts[charge["id"]]) != "completed":
    sys.exit("the seller is not paid")
