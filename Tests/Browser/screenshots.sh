#!/usr/bin/env bash
# Takes the screenshots of Page.md from the running dashboard. Look at them before they are committed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
. "$here/tools.sh"
.build/browser-tools/bin/pip install -q --disable-pip-version-check 'pillow>=10'
swift build --product dashboard
export BINARIES PYTHONDONTWRITEBYTECODE=1
BINARIES=$(swift build --show-bin-path)
target=Sources/Inspector/Inspector.docc/Resources
mkdir -p "$target"
"$python" "$here/screenshots.py" "$target"
for file in "$target"/*.png; do
  size=$(stat -c %s "$file")
  echo "$file: $size bytes"
  [ "$size" -lt 150000 ]
done
