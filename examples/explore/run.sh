#!/usr/bin/env bash
# A market pays its seller twice when a webhook comes twice; see walkthrough.mjs. Exits with 0 if everything happens as described.
#
#   npm ci && examples/explore/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node examples/explore/walkthrough.mjs
