#!/usr/bin/env bash
# A double payout, caught before it costs anything; see walkthrough.mjs. Exits with 0 if everything happens as described.
#
#   npm ci && examples/double-payout/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node examples/double-payout/walkthrough.mjs
