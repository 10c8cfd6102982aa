"""Correct. Pays a salary, and pays again under a new reference once the service says that the payout has failed."""

import sys
from lib import insist, outcome_of, payout_of

for attempt in range(3):
    status, body = insist("POST", "/v1/transactions", payout_of(f"salary-awa-{attempt}"))
    if status != 201:
        sys.exit("it is not known how the payout ends")
    outcome = outcome_of(body["id"])
    if outcome == "completed":
        sys.exit()
    if outcome == "pending":
        break
sys.exit("not paid")
