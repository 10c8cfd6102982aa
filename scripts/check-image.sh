#!/usr/bin/env bash
# Checks the image from outside while it runs at SANDBOX_URL. tools/image-check builds it with buildah and starts it.
# BASE and IMAGE name the two images in buildah's storage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
base=${BASE:-localhost/node-stand-in:24}
image=${IMAGE:-localhost/sandbox-under-test}
most_mb=60
most_ms=1000

fail() { printf 'image: %s\n' "$*" >&2; exit 1; }
now_ms() { date +%s%3N; }
size_mb() { buildah images --json "$1" | node -p 'Math.round(Number.parseFloat(JSON.parse(fs.readFileSync(0))[0].size))'; }

node scripts/smoke-node.mjs "$SANDBOX_URL"

added=$(($(size_mb "$image") - $(size_mb "$base")))
((added < most_mb)) || fail "it adds $added MB to its base, and may add $most_mb"
printf 'image: %s MB over its base\n' "$added"

# Finds the program, not the shells around it.
program=$(pgrep -nf '^/usr/local/bin/node /app/bin/sandbox\.js start')
[[ $(stat -c %u "/proc/$program") != 0 ]] || fail "it runs as root"

# Runs the health check, as an orchestrator does.
container=$(buildah from --pull-never "$image")
trap 'umount -R "$tree" 2>/dev/null || true; buildah umount "$container" >/dev/null; buildah rm "$container" >/dev/null' EXIT
tree=$(buildah mount "$container")
mapfile -t health < <(buildah inspect --type image "$image" |
  node -p 'JSON.parse(fs.readFileSync(0)).Docker.config.Healthcheck.Test.slice(1).join("\n")')
((${#health[@]} > 0)) || fail "it has no health check"
"${health[@]/#\/app/$tree\/app}" || fail "its health check is red"

# Starts on a read-only file system.
unshare --mount bash -euo pipefail -c '
  mount --bind "$1" "$1" && mount --bind /dev "$1/dev" && mount -t proc proc "$1/proc" && mount -o remount,ro,bind "$1"
  if touch "$1/app/x" 2>/dev/null; then echo "the file system can be written to" >&2; exit 9; fi
  chroot --userspec=node:node "$1" /usr/bin/env -C /app node bin/sandbox.js start --port 0 --log json' - "$tree" >/tmp/read-only.$$ &
reader=$!
for _ in $(seq 1 100); do grep -q '"event":"listening"' /tmp/read-only.$$ && break; kill -0 $reader 2>/dev/null || fail "it does not start on a read-only file system"; sleep 0.1; done
node scripts/smoke-node.mjs "$(node -p 'JSON.parse(fs.readFileSync(process.argv[1], "utf8").split("\n")[0]).url' /tmp/read-only.$$)"
pkill -TERM -P $reader -f sandbox.js || kill -TERM $reader
wait $reader || true
rm /tmp/read-only.$$

before=$(now_ms)
kill -TERM "$program"
while kill -0 "$program" 2>/dev/null; do
  (($(now_ms) - before < most_ms)) || fail "it still runs $most_ms ms after SIGTERM"
  sleep 0.02
done
printf 'image: stopped %d ms after SIGTERM\n' $(($(now_ms) - before))
