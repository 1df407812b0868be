#!/usr/bin/env bash
# Installs the Autobahn testsuite, ported to Python 3, into a virtual environment.
#
#   install.sh DIRECTORY
#
# Takes about half a minute, and does nothing when it is installed.
set -euo pipefail

suite=25.10.1
venv=${1:?usage: install.sh DIRECTORY}
here=$(cd "$(dirname "$0")" && pwd)
mark="$venv/installed-$suite"
[ -f "$mark" ] && cmp -s "$mark" "$here/port.py" && exit

rm -rf "$venv"
python3 -m venv "$venv"
pip() { "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install -r "$here/requirements.txt"
# The translator of Python 2 left the standard library with Python 3.13.
"$venv/bin/python" -c 'import lib2to3' 2>/dev/null || pip install fissix==24.4.24
pip install --no-deps --no-compile --target "$venv/original" "autobahntestsuite==$suite"
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
"$venv/bin/python" -W ignore "$here/port.py" \
  "$venv/original/autobahntestsuite" "$packages/autobahntestsuite"
"$venv/bin/python" -W ignore -c '
import autobahntestsuite.case as case
assert len(case.Cases) == 517, len(case.Cases)'
cp "$here/port.py" "$mark"
