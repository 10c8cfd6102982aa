#!/usr/bin/env bash
# A receiver fails its audit, is mended by one line, and passes; see story.mjs. Exits 0 if it came out as told.
#
#   npm ci && examples/audit/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node examples/audit/story.mjs
