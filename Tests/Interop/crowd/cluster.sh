#!/usr/bin/env bash
# 100,000 concurrent connections on loopback: 8 server processes share a port, 8 client processes have a local
# address each, and one server publishes a message to all through Redis. Every connection stays open for a
# minute, receives the message once, and is closed in order. The exit status is the result. The last line of
# the output has the figures as JSON.
#
#   cluster.sh                                           100,000 connections
#   cluster.sh --report Tests/Interop/crowd/report.md    the same, and writes the report
#   cluster.sh --connections 10000 --servers 2 --clients 2 --seconds 5
#
# Takes about two minutes after the build, and 1.5 GB; a process needs 13,000 open files. It is run by hand:
# its figures are comparable only on a machine without other work. As root it also measures the kernel's caches.
set -euo pipefail

cd "$(dirname "$0")/../../.."
swift build -c release --product crowd
crowd="$(swift build -c release --show-bin-path)/crowd"

# Below the ports that the system selects itself.
port=$((20000 + RANDOM % 10000))
redis=
trap '[ -z "$redis" ] || { kill "$redis" && wait "$redis"; } 2>/dev/null || true' EXIT
redis-server --port "$port" --bind 127.0.0.1 --save "" --daemonize no >/dev/null &
redis=$!
for _ in {1..100}; do
  redis-cli -p "$port" ping 2>/dev/null | grep -q PONG && break
  kill -0 "$redis"
  sleep 0.1
done

timeout 590 "$crowd" cluster --redis "redis://127.0.0.1:$port" "$@"
