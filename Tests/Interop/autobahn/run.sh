#!/usr/bin/env bash
# Runs the Autobahn testsuite on `autobahn-testee`, as a client and as a server. The exit status is the
# result: every case must be OK; NON-STRICT is a failure.
#
#   run.sh          1 to 10, and of permessage-deflate 5 cases of each kind: 361 cases, about 2 minutes
#   run.sh --full   all 517 cases, about 20 minutes
#   run.sh 9.* ...  these cases
#
# Needs python3 with venv. Missing packages are installed from PyPI into .build-interop/, and kept.
set -euo pipefail
set -o noglob

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
venv="$root/.build-interop/autobahn"
reports="$root/.build-interop/autobahn-reports"

sections=({1..7}.* 9.* 10.*)
case "${1:-}" in
  "") cases=("${sections[@]}" 12.{1..5}.{1..5} 13.{1..7}.{1..5}) ;;
  --full) cases=("${sections[@]}" 12.* 13.*) ;;
  *) cases=("$@") ;;
esac

"$here/install.sh" "$venv"
cd "$root"
swift build -c release --product autobahn-testee
testee="$(swift build -c release --show-bin-path)/autobahn-testee"
suite() { exec "$venv/bin/python" -W ignore "$here/suite.py" "$@"; }

scratch=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT

# Starts a server whose first line is its URL: sets `url`.
serve() {
  local output="$scratch/${#servers[@]}"
  "$@" >"$output" 2>"$output.errors" &
  servers+=($!)
  for _ in {1..300}; do
    url=$(grep -m 1 -o 'ws://[^ ]*' "$output" || true)
    [ -z "$url" ] || return 0
    if ! kill -0 $!; then
      cat "$output.errors"
      return 1
    fi
    sleep 0.1
  done
  echo "no URL from: $*"
  return 1
}

rm -rf "$reports"
mkdir -p "$reports"
serve suite server "$reports/clients" "${cases[@]}"
"$testee" client "$url" client
serve "$testee" server 0
(suite client "$reports/servers" "${cases[@]}" "$url" server) >"$scratch/client"

number=$("$venv/bin/python" -W ignore -c '
import sys
from autobahntestsuite import case, caseset
cases = caseset.CaseSet(
    case.CaseSetname, case.CaseBasename, case.Cases, case.CaseCategories, case.CaseSubCategories)
print(len(cases.parseSpecCases({"cases": sys.argv[1:]})))' "${cases[@]}")
echo "The reports of all cases: $reports"
"$venv/bin/python" "$here/judge.py" "$number" \
  "client=$reports/clients/index.json" "server=$reports/servers/index.json"
