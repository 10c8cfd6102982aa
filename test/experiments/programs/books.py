"""The payouts that a program believes it has made. `python3 books.py` fails when they are not the sandbox's."""

import json
import os
import sys
import tempfile
import urllib.request

URL = os.environ["SANDBOX_URL"]
FILE = os.path.join(tempfile.gettempdir(), f"books-{URL.rpartition(':')[2]}.json")


def write(paid):
    with open(FILE, "w") as file:
        json.dump(paid, file)


if __name__ == "__main__":
    with open(FILE) as file:
        believed = json.load(file)
    os.remove(FILE)
    with urllib.request.urlopen(URL + "/_sandbox/transactions?status=completed") as answer:
        paid = {payout["msisdn"]: payout["amount"] for payout in json.load(answer)["data"]}
    sys.exit(None if believed == paid else f"the books say {believed}, but paid were {paid}")
