#!/usr/bin/env bash
# 10,000 concurrent connections on loopback between two processes: all connect, receive a broadcast and close
# cleanly, and the memory of an idle connection is within its gate. Before that, 10,000 connections open and
# close and leave no memory. The exit status is the result.
#
#   run.sh                        10,000 connections, fewer with a lower limit of open files
#   run.sh --connections 19000    another number, 19,900 at most
#   run.sh --sanitize=thread      the same under a sanitizer, with 500 connections and no gate
#
# Takes about a minute, and three at most.
set -euo pipefail

connections=10000
churn=10000
gate=(--gate 2500)
build=(-c release)
if [ "${1:-}" = --sanitize=thread ]; then
  connections=500
  churn=500
  gate=()
  build=("$1" -Xswiftc -DTSAN -Xswiftc -DSANITIZED --scratch-path .build-tsan)
  export TSAN_OPTIONS="halt_on_error=1"
elif [ "${1:-}" = --connections ]; then
  connections=$2
fi

cd "$(dirname "$0")/../../.."
# Each process needs one file descriptor for each connection, and some of its own.
files=$(ulimit -Hn)
if [ "$files" != unlimited ] && [ "$files" -lt $((connections + 100)) ]; then
  connections=$((files - 100))
  echo "Only $files files may be open: $connections connections"
fi

swift build "${build[@]}" --product crowd
crowd="$(swift build "${build[@]}" --show-bin-path)/crowd"

output=$(mktemp)
server=
trap 'kill $server 2>/dev/null || true; rm -f "$output"' EXIT
timeout 170 "$crowd" serve >"$output" &
server=$!
for _ in {1..100}; do
  [ -s "$output" ] && break
  kill -0 "$server"
  sleep 0.1
done

timeout 160 "$crowd" drive "$(head -n 1 "$output")" \
  --connections "$connections" --churn "$churn" "${gate[@]}"
# Its exit status is 0 when all clients disconnected in time.
wait "$server"
server=
