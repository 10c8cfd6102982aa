#!/usr/bin/env bash
# A receiver fails its audit, is fixed by one line, and passes; see walkthrough.mjs. Exits with 0 if everything happens as described.
#
#   npm ci && examples/audit/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node examples/audit/walkthrough.mjs
