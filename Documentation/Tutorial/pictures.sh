#!/usr/bin/env bash
# Makes the pictures of the article "A first program" from its running programs. Look at them before they are
# committed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
. Tests/Browser/tools.sh
.build/browser-tools/bin/pip install -q --disable-pip-version-check 'pillow>=10'
swift build --package-path Documentation --build-tests
binaries=$(swift build --package-path Documentation --show-bin-path)
target=Sources/Compose/Compose.docc/Resources
mkdir -p "$target"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Tests/Browser

draw() { python3 "$here/terminal.py" "$target/first-program-$1.svg" "${@:2}"; }
draw composer "1 - a composer" "swift run" "$binaries/tea-composer"
draw timer "2 - a timer" "swift run" "$binaries/tea-timer"
draw test "3 - a test" "swift test" \
  swift test --package-path Documentation --skip-build --filter TutorialTests.TimerTests
draw socket "4 - a socket" "swift run" "$binaries/tea-socket"
"$python" "$here/page.py" "$binaries/tea-inspector" "$target"
for file in "$target"/*; do
  size=$(stat -c %s "$file")
  echo "$file: $size bytes"
  [ "$size" -lt 150000 ]
done
