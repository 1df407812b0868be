#!/usr/bin/env bash
# nginx in front of our server, for ws and wss, and tinyproxy before our client. Prints each check; the exit status is
# the verdict.
#
# Needs openssl and curl; installs nginx and tinyproxy from Debian where they are missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
for package in nginx-light:nginx tinyproxy:tinyproxy curl:curl; do
  command -v "${package#*:}" >/dev/null ||
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends "${package%:*}"; } >/dev/null
done
swift build -c release --product interop-peer
peer="$(swift build -c release --show-bin-path)/interop-peer"

scratch=$(mktemp -d)
# nginx and tinyproxy run as users of their own, where root begins them.
chmod 755 "$scratch"
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
"$here/../tls/certificates.sh" "$scratch/certificates" >/dev/null

# free_port: one that nobody listens on now
free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# await PORT
await() {
  for _ in $(seq 100); do
    (exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
    sleep 0.1
  done
  echo "nobody listens on $1" >&2
  exit 1
}

# What each connection does to these is its own noise.
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
plain=$(free_port) tls=$(free_port)
cat >"$scratch/nginx.conf" <<END
daemon off;
pid $scratch/nginx.pid;
error_log $scratch/nginx.log;
events {}
http {
  access_log off;
  client_body_temp_path $scratch/body; proxy_temp_path $scratch/proxy; fastcgi_temp_path $scratch/fastcgi;
  uwsgi_temp_path $scratch/uwsgi; scgi_temp_path $scratch/scgi;
  server {
    listen 127.0.0.1:$plain;
    listen 127.0.0.1:$tls ssl;
    ssl_certificate $scratch/certificates/good.pem;
    ssl_certificate_key $scratch/certificates/good.key;
    location / {
      proxy_pass http://127.0.0.1:$port;
      proxy_http_version 1.1;
      proxy_set_header Upgrade \$http_upgrade;
      proxy_set_header Connection "upgrade";
      proxy_set_header Host \$host;
      proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
      # Shorter than a connection is idle: the server's pings keep it.
      proxy_read_timeout 2s;
    }
  }
}
END
nginx -c "$scratch/nginx.conf" &
running+=($!)
await "$plain"
timeout 60 "$peer" talk "ws://127.0.0.1:$plain/echo"
timeout 60 "$peer" talk "wss://localhost:$tls/echo" --authority "$authority"
address=$(curl --silent --show-error --max-time 10 -H 'X-Forwarded-For: 203.0.113.9' "http://127.0.0.1:$plain/address")
[ "$address" = 203.0.113.9 ] || { echo "FAILED: nginx's client is at $address"; exit 1; }
echo "ok: the address of nginx's client"

echo "-- tinyproxy"
proxy=$(free_port)
cat >"$scratch/tinyproxy.conf" <<END
Port $proxy
Listen 127.0.0.1
Timeout 60
LogFile "$scratch/tinyproxy.log"
BasicAuth user secret
ConnectPort $port
ConnectPort $secure_port
END
tinyproxy -d -c "$scratch/tinyproxy.conf" >/dev/null &
running+=($!)
await "$proxy"
timeout 60 "$peer" talk "ws://127.0.0.1:$port/echo" --proxy "http://user:secret@127.0.0.1:$proxy"
timeout 60 "$peer" talk "wss://localhost:$secure_port/echo" --authority "$authority" \
  --proxy "http://user:secret@127.0.0.1:$proxy"

# refused WHAT EXPECTED ARGUMENT...
refused() {
  local what=$1 expected=$2 answer
  shift 2
  if answer=$(timeout 60 "$peer" talk "$@"); then echo "FAILED: $what: $answer"; exit 1; fi
  case $answer in *"$expected"*) echo "ok: $what:${answer#*echo:}" ;; *) echo "FAILED: $what: $answer"; exit 1 ;; esac
}
refused "a wrong password" "the proxy refused with status 401" "ws://127.0.0.1:$port/echo" --proxy "http://user:wrong@127.0.0.1:$proxy"
refused "a port that the proxy does not allow" "the proxy refused with status 403" "ws://127.0.0.1:$plain/echo" \
  --proxy "http://user:secret@127.0.0.1:$proxy"
closed=$(free_port)
refused "a proxy that is not there" "127.0.0.1:$closed" "ws://127.0.0.1:$port/echo" \
  --proxy "http://user:secret@127.0.0.1:$closed"
