#!/usr/bin/env bash
# curl sends plain HTTP requests to a WebSocket server, while a WebSocket is open on the same port.
# Prints each check, and fails with the first unexpected answer.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
command -v curl >/dev/null || { apt-get update -qq && apt-get install -qq -y curl; }
swift build -c release --product attacked
attacked="$(swift build -c release --show-bin-path)/attacked"

scratch=$(mktemp -d)
mkfifo "$scratch/orders"
"$attacked" serve <"$scratch/orders" >"$scratch/answers" 2>"$scratch/log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$scratch"' EXIT
# The server runs until this descriptor is closed.
exec 3>"$scratch/orders"
for _ in $(seq 100); do [ -s "$scratch/answers" ] && break; sleep 0.1; done
port=$(head -n 1 "$scratch/answers")
url="http://127.0.0.1:$port"

# expect WHAT EXPECTED CURL-ARGUMENT...
expect() {
  local what=$1 expected=$2 answer
  shift 2
  answer=$(curl --silent --show-error --max-time 20 "$@" 2>>"$scratch/errors") || true
  if [ "$answer" != "$expected" ]; then
    tail -n 5 "$scratch/errors"
    printf 'FAILED: %s\n  expected %q\n  got      %q\n' "$what" "$expected" "${answer:0:500}"
    exit 1
  fi
  echo "ok: $what"
}

code='%{http_code}'
head -c 900000 /dev/urandom >"$scratch/body"
head -c 1100000 /dev/urandom >"$scratch/long"

# A WebSocket that stays open: curl only performs the handshake.
curl --silent --no-buffer --max-time 60 --http1.1 --output "$scratch/socket" --dump-header "$scratch/head" \
  -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
  -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' "$url/echo" &
socket=$!
for _ in $(seq 100); do grep -q '101 Switching' "$scratch/head" 2>/dev/null && break; sleep 0.1; done
grep -q '101 Switching' "$scratch/head"

expect 'a health check' 'ok' "$url/health"
expect 'a health check by HTTP/1.0' 'ok' --http1.0 "$url/health"
expect 'a path that is not there' 'GET /x is not here' "$url/x"
expect 'its status' 404 -o /dev/null -w "$code" "$url/x"
expect 'HEAD, which has the length' 3 -I -o /dev/null -w '%header{content-length}' "$url/health"
expect 'an answer that takes its time' 'later' "$url/later"
expect 'a handler that fails' 500 -o /dev/null -w "$code" "$url/fails"
expect 'a proxy'"'"'s form of the target' 'ok' --proxy "$url" http://example.com/health
expect 'three answers by one connection' '1 0 0 ' -w '%{num_connects} ' \
  -o /dev/null "$url/health" -o /dev/null "$url/later" -o /dev/null "$url/health"
for header in 'Content-Type: x' 'Transfer-Encoding: chunked' 'Expect: 100-continue' 'Expect:'; do
  expect "a body of 900 KB, $header" 200 -H "$header" --data-binary "@$scratch/body" -o "$scratch/back" \
    -w "$code" "$url/body"
  cmp "$scratch/body" "$scratch/back"
  expect "a body that is too long, $header" 413 -H "$header" --data-binary "@$scratch/long" -o /dev/null \
    -w "$code" "$url/body"
done
expect '8 MB at 3 MB a second' 8388608 --limit-rate 3M -o /dev/null -w '%{size_download}' "$url/large"
expect 'a request that is no HTTP' 400 --request 'G(T' -o /dev/null -w "$code" "$url/health"
expect 'twenty at once' '200200200200200200200200200200200200200200200200200200200200' --parallel \
  --parallel-max 20 -w "$code" $(for _ in $(seq 20); do echo -o /dev/null "$url/later"; done)
kill -0 "$socket"
echo 'ok: the WebSocket is still open'
kill "$socket"
exec 3>&-
wait "$server"
