"""Correct. Pays salaries in a batch, which is sent again whole: its references say what was accepted before."""

import sys
from lib import insist, let_pass, outcome_of, payout_of, receive

events = receive(["transactions/completed", "transactions/failed"])
items = [payout_of("salary-awa", 150_000), payout_of("salary-kouassi", 90_000, "+2250700000011")]
status, body = insist("POST", "/v1/transactions/batch", {"transactions": items})
let_pass("30m")
outcomes = {event["data"]["reference"]: event["data"]["status"] for event in events}
for payout in body["transactions"] if status == 201 else []:
    outcomes[payout["reference"]] = outcome_of(payout["id"])
if [outcomes.get(item["reference"]) for item in items] != ["completed", "completed"]:
    sys.exit(f"not all are paid, or it is not known: {outcomes}")
