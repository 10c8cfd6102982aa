"""Sells an order, and pays the seller the amount of the events. Weakness: an event that comes twice counts twice."""

import sys
from lib import insist, let_pass, outcome_of, payout_of, receive, sell

events = receive(["charges/events"])
sell("order-1")
let_pass("2h")
taken = sum(event["data"]["amount"] for event in events if event["data"]["status"] == "paid")
if taken == 0:
    sys.exit("nothing was sold")
status, body = insist("POST", "/v1/transactions", payout_of("seller-today", taken))
if status != 201 or outcome_of(body["id"]) != "completed":
    sys.exit("the seller is not paid")
