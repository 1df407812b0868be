#!/usr/bin/env bash
# Tests the built site in Chromium without a window. Prints each test; the exit status is the result.
# Takes about a minute. Screenshots are in .build/browser-site.
#
#   run.sh [WORD...]     only the tests whose names have one of the words
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
. Tests/Browser/tools.sh
[ -e Documentation/site/index.html ] || swift run --package-path Documentation docs
export SCREENSHOTS=.build/browser-site PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Tests/Browser
rm -rf "$SCREENSHOTS" && mkdir -p "$SCREENSHOTS"
exec timeout --kill-after=20 300 "$python" "$here/test_site.py" "$@"
