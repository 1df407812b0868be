#!/usr/bin/env bash
# A browser without a window checks a server of this package by a page that the server itself sends: over ws, then
# over wss. Prints each check; the exit status is the result. Takes at most two minutes after the build.
#
#   run.sh [chromium|firefox]     Chromium by default; installs it from Debian if it is missing
#
# Needs openssl and root, which runs Chromium without a sandbox.
set -euo pipefail

browser=${1:-chromium}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
case $browser in
  chromium) program=chromium packages=(chromium) ;;
  # certutil adds the trusted authority.
  firefox) program=firefox-esr packages=(firefox-esr libnss3-tools) ;;
  *) echo "usage: run.sh [chromium|firefox]" >&2 && exit 2 ;;
esac
{ command -v "$program" && { [ "$browser" != firefox ] || command -v certutil; }; } >/dev/null ||
  { apt-get update -qq && apt-get install -qq -y --no-install-recommends "${packages[@]}"; } >/dev/null
swift build -c release --product interop-peer
peer="$(swift build -c release --show-bin-path)/interop-peer"

scratch=$(mktemp -d)
server= window=
finish() {
  kill $server $window 2>/dev/null || true
  wait $window 2>/dev/null || true
  # Child processes of a browser may still write for a short time.
  rm -rf "$scratch" 2>/dev/null || { sleep 2 && rm -rf "$scratch"; }
}
trap finish EXIT
"$here/../tls/certificates.sh" "$scratch/certificates" >/dev/null
"$program" --version

# browse URL: replaces the calling shell
browse() {
  export HOME="$scratch/home"
  mkdir -p "$HOME"
  case $browser in
    chromium)
      # Root has no sandbox, and a container has little shared memory.
      exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --ignore-certificate-errors --user-data-dir="$scratch/chromium" --remote-debugging-port=0 "$1"
      ;;
    firefox)
      rm -rf "$scratch/firefox" && mkdir "$scratch/firefox"
      certutil -N -d "sql:$scratch/firefox" --empty-password
      certutil -A -d "sql:$scratch/firefox" -n authority -t C,, -i "$scratch/certificates/authority.pem"
      cat >"$scratch/firefox/user.js" <<PREFERENCES
user_pref("network.websocket.max-connections", 200);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
PREFERENCES
      exec firefox-esr --headless --no-remote --profile "$scratch/firefox" "$1"
      ;;
  esac
}

# check [CERTIFICATE KEY]
check() {
  : >"$scratch/verdicts"
  "$peer" serve "$here/page.html" "$@" >"$scratch/verdicts" &
  server=$!
  for _ in $(seq 100); do [ -s "$scratch/verdicts" ] && break; sleep 0.1; done
  local url status=0
  url=$(head -n 1 "$scratch/verdicts")
  echo "-- $browser at $url"
  browse "$url" >"$scratch/browser.log" 2>&1 &
  window=$!
  wait "$server" || status=$?
  tail -n +2 "$scratch/verdicts"
  kill "$window" 2>/dev/null || true
  wait "$window" 2>/dev/null || true
  if [ "$status" -ne 0 ] || ! grep -q '^ok: a page that goes' "$scratch/verdicts"; then
    tail -n 20 "$scratch/browser.log"
    echo "FAILED with $status"
    exit 1
  fi
}

check
check "$scratch/certificates/good.pem" "$scratch/certificates/good.key"
