# Installs what the scripts of this folder need, and sets `python`. Is read by them, in the root of the package.

if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends chromium chromium-driver fonts-dejavu-core
fi >/dev/null
python=.build/browser-tools/bin/python
if ! "$python" -c 'import selenium' 2>/dev/null; then
  python3 -m venv .build/browser-tools
  .build/browser-tools/bin/pip install -q --disable-pip-version-check 'selenium>=4.20,<5'
fi
