#!/usr/bin/env bash
# Runs this example with the built command of this clone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export PYTHONDONTWRITEBYTECODE=1
exec node ../../bin/sandbox.js exec --clock frozen -- python3 -m unittest -v
