#!/usr/bin/env bash
# Tests the inspector's page in Chromium without a window: the pages of the dashboard, the chat, the tasks and
# `program`. Prints each test; the exit status is the result. Takes at most five minutes after the build.
#
#   run.sh [WORD...]     only the tests whose names have one of the words
#
# Installs chromium from Debian and selenium from PyPI if they are missing. Needs root, which runs Chromium
# without a sandbox. Screenshots are in .build/browser.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
. "$here/tools.sh"
for product in dashboard chat tasks inspected inspected-clock; do swift build --product "$product"; done
export BINARIES SCREENSHOTS=.build/browser PYTHONDONTWRITEBYTECODE=1
BINARIES=$(swift build --show-bin-path)
rm -rf "$SCREENSHOTS" && mkdir -p "$SCREENSHOTS"
# A test that hangs ends with the time limit; its programs and its browser end with their input or their session.
exec timeout --kill-after=20 600 "$python" "$here/run.py" "$@"
