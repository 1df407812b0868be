#!/usr/bin/env bash
# nginx in front of our server, for ws and wss, and tinyproxy between our client and a server; nginx, HAProxy and
# Caddy with the configurations of the article on deploying. Prints each check; the exit status is the result.
# Takes a minute after the build.
#
# Needs openssl and python3; installs the proxies and curl from Debian if they are missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
for package in nginx-light:nginx haproxy:haproxy caddy:caddy tinyproxy:tinyproxy curl:curl; do
  command -v "${package#*:}" >/dev/null ||
    # With RUNLEVEL set, the packages start no service.
    { apt-get update -qq && RUNLEVEL=1 apt-get install -qq -y --no-install-recommends "${package%:*}"; } >/dev/null
done
swift build -c release --product interop-peer
peer="$(swift build -c release --show-bin-path)/interop-peer"

scratch=$(mktemp -d)
# Started by root, nginx and tinyproxy change to their own users.
chmod 755 "$scratch"
running=()
finish() {
  kill "${running[@]}" 2>/dev/null || true
  wait "${running[@]}" 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT
"$here/../tls/certificates.sh" "$scratch/certificates" >/dev/null

# free_port: prints a port without a listener
free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# await PORT: waits for a listener
await() {
  for _ in $(seq 100); do
    (exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
    sleep 0.1
  done
  echo "no process listens on $1" >&2
  exit 1
}

# refused WHAT EXPECTED ARGUMENT...: our client fails with an error that contains EXPECTED
refused() {
  local what=$1 expected=$2 answer
  shift 2
  if answer=$(timeout 60 "$peer" talk "$@"); then echo "FAILED: $what: $answer"; exit 1; fi
  case $answer in
    *"FAILED: "*"$expected"*) echo "ok: $what: ${answer#*FAILED: }" ;;
    *) echo "FAILED: $what: $answer" && exit 1 ;;
  esac
}

# The servers run until their input ends.
mkfifo "$scratch/orders" "$scratch/secure-orders"
"$peer" serve <"$scratch/orders" >"$scratch/ours" &
running+=($!)
exec 3>"$scratch/orders"
"$peer" serve "$scratch/certificates/good.pem" "$scratch/certificates/good.key" \
  <"$scratch/secure-orders" >"$scratch/secure" &
running+=($!)
exec 5>"$scratch/secure-orders"
for _ in $(seq 100); do [ -s "$scratch/ours" ] && [ -s "$scratch/secure" ] && break; sleep 0.1; done
ours=$(head -n 1 "$scratch/ours") secure=$(head -n 1 "$scratch/secure")
port=${ours##*:} port=${port%/}
secure_port=${secure##*:} secure_port=${secure_port%/}
authority="$scratch/certificates/authority.pem"

echo "-- nginx"
nginx -v
plain=$(free_port) tls=$(free_port) impatient=$(free_port)
cat >"$scratch/nginx.conf" <<END
daemon off;
pid $scratch/nginx.pid;
error_log $scratch/nginx.log;
events {}
# After a reload the connections of the old configuration are dropped.
worker_shutdown_timeout 1s;
http {
  access_log off;
  client_body_temp_path $scratch/body; proxy_temp_path $scratch/proxy; fastcgi_temp_path $scratch/fastcgi;
  uwsgi_temp_path $scratch/uwsgi; scgi_temp_path $scratch/scgi;
  proxy_http_version 1.1;
  proxy_set_header Upgrade \$http_upgrade;
  proxy_set_header Connection "upgrade";
  proxy_set_header Host \$host;
  proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
  server {
    listen 127.0.0.1:$plain;
    listen 127.0.0.1:$tls ssl;
    ssl_certificate $scratch/certificates/good.pem;
    ssl_certificate_key $scratch/certificates/good.key;
    # Shorter than the idle time of a connection: the server's pings, one each second, keep it open.
    location / { proxy_pass http://127.0.0.1:$port; proxy_read_timeout 2s; }
  }
  server {
    listen 127.0.0.1:$impatient;
    # Shorter than the time between two pings.
    location / { proxy_pass http://127.0.0.1:$port; proxy_read_timeout 500ms; }
  }
}
END
start_nginx() {
  nginx -c "$scratch/nginx.conf" &
  nginx=$!
  running+=($nginx)
  await "$plain"
}
start_nginx
timeout 60 "$peer" talk "ws://127.0.0.1:$plain/echo" --address 203.0.113.9
timeout 60 "$peer" talk "wss://localhost:$tls/echo" --authority "$authority" --address 203.0.113.9
refused "without pings in time nginx ends an idle connection" "while the WebSocket is disconnected" "ws://127.0.0.1:$impatient/echo"

# found WHAT EXPECTED FORWARDED: the client's address of a plain request
found() {
  local address
  address=$(curl --silent --show-error --max-time 10 -H "X-Forwarded-For: $3" "http://127.0.0.1:$plain/address")
  [ "$address" = "$2" ] || { echo "FAILED: $1: the client is at $address"; exit 1; }
  echo "ok: $1: $address"
}
found "the address of a plain request" 203.0.113.9 203.0.113.9
found "of two addresses the one of no trusted proxy is ignored" 203.0.113.9 "198.51.100.7, 203.0.113.9"

# lasting URL ARGUMENT...: our client reconnects after a reload and a restart of nginx
lasting() {
  local log="$scratch/lasting" stays status=0 url=$1
  # said LINE: waits for the line in the log
  said() {
    for _ in $(seq 150); do grep -q "^$1" "$log" && return; sleep 0.1; done
    cat "$log" && echo "FAILED: no line: $1" && exit 1
  }
  timeout 60 "$peer" stay "$url" 3 "${@:2}" >"$log" &
  stays=$!
  running+=($stays)
  said 'echo 1'
  nginx -c "$scratch/nginx.conf" -s reload
  said 'outage: '
  said 'echo 2'
  echo "ok: $url: a reload of nginx is an outage: $(sed -n 's/^outage: //p' "$log" | head -n 1)"
  kill "$nginx"
  wait "$nginx" || true
  said 'outage: .*refused the connection'
  start_nginx
  said 'echo 3'
  wait "$stays" || status=$?
  [ "$status" -eq 0 ] || { cat "$log" && echo "FAILED with $status" && exit 1; }
  echo "ok: $url: a restart of nginx is an outage, and the client reconnects"
}
lasting "ws://127.0.0.1:$plain/echo"
lasting "wss://localhost:$tls/echo" --authority "$authority"

# article LANGUAGE PORT: the configuration in the article, for a proxy that listens on PORT
article() {
  sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" Sources/Sockets/Sockets.docc/Deploying.md | sed '1d;$d' | sed \
    -e "s#listen 443#listen 127.0.0.1:$2#; s#bind :443#bind 127.0.0.1:$2#; s#localhost:443#localhost:$2#" \
    -e "s#/etc/chat/server#$scratch/certificates/good#g; s#/etc/chat/both#$scratch/certificates/both#" \
    -e "s#127.0.0.1:8080#127.0.0.1:$port#; s#GET /live#GET /address#"
}

# talk_through PROXY PORT ARGUMENT...: our client talks to our server through a proxy of the article
talk_through() {
  running+=($!)
  await "$2"
  timeout 60 "$peer" talk "wss://localhost:$2/echo" --authority "$authority" "${@:3}"
  echo "ok: the configuration of $1 in the article"
}

echo "-- the proxies of the article"
cat "$scratch/certificates/good.pem" "$scratch/certificates/good.key" >"$scratch/certificates/both.pem"
shown=$(free_port)
{
  sed '/^  server {/,$d' "$scratch/nginx.conf" | sed "/proxy_http_version\|proxy_set_header/d; s#nginx.pid#shown.pid#"
  article nginx "$shown"
  echo "}"
} >"$scratch/shown.conf"
nginx -c "$scratch/shown.conf" &
talk_through nginx "$shown" --address 203.0.113.9
shown=$(free_port)
article haproxy "$shown" >"$scratch/haproxy.cfg"
haproxy -q -db -f "$scratch/haproxy.cfg" &
talk_through HAProxy "$shown" --address 203.0.113.9
shown=$(free_port)
{
  printf '{\n  admin off\n  auto_https disable_redirects\n}\n'
  article caddy "$shown"
} >"$scratch/Caddyfile"
HOME=$scratch caddy run --config "$scratch/Caddyfile" --adapter caddyfile 2>"$scratch/caddy.log" &
# Caddy trusts the header of no client, and names the client that it sees.
talk_through Caddy "$shown"

echo "-- tinyproxy"
tinyproxy -v
# start_tinyproxy PORT LINE...: starts tinyproxy on PORT, with additional lines of configuration
start_tinyproxy() {
  local proxy=$1
  {
    printf 'Port %s\nListen 127.0.0.1\nTimeout 60\nLogFile "%s"\n' "$proxy" "$scratch/tinyproxy-$proxy.log"
    printf 'ConnectPort %s\n' "$port" "$secure_port"
    printf '%s\n' "${@:2}"
  } >"$scratch/tinyproxy-$proxy.conf"
  tinyproxy -d -c "$scratch/tinyproxy-$proxy.conf" >/dev/null &
  running+=($!)
  await "$proxy"
}
open=$(free_port)
start_tinyproxy "$open"
proxy=$(free_port)
start_tinyproxy "$proxy" "BasicAuth user secret"
for through in "127.0.0.1:$open" "user:secret@127.0.0.1:$proxy"; do
  timeout 60 "$peer" talk "ws://127.0.0.1:$port/echo" --proxy "http://$through"
  timeout 60 "$peer" talk "wss://localhost:$secure_port/echo" --authority "$authority" --proxy "http://$through"
done
refused "a wrong password" "the proxy 127.0.0.1:$proxy refused with status 401" \
  "ws://127.0.0.1:$port/echo" --proxy "http://user:wrong@127.0.0.1:$proxy"
refused "no password" "the proxy 127.0.0.1:$proxy refused with status 407" \
  "ws://127.0.0.1:$port/echo" --proxy "http://127.0.0.1:$proxy"
refused "a port that the proxy does not allow" "the proxy 127.0.0.1:$open refused with status 403" \
  "ws://127.0.0.1:$plain/echo" --proxy "http://127.0.0.1:$open"
closed=$(free_port)
refused "a proxy that is not there" "the proxy 127.0.0.1:$closed is not reachable" \
  "ws://127.0.0.1:$port/echo" --proxy "http://127.0.0.1:$closed"
