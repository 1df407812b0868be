#!/usr/bin/env bash
# Unpacks Rails' actioncable, Puma and Ruby from Debian 12's packages into PLACE, and prints its settings
# for the shell. It installs nothing, and changes only PLACE.
#
#   install.sh PLACE
set -euo pipefail
place=$(realpath -m "${1:?usage: install.sh PLACE}")
root="$place/root"

if [ ! -f "$place/unpacked" ]; then
  rm -rf "$place"
  mkdir -p "$place/packages" "$root"
  cd "$place/packages"
  # The packages that this machine lacks, with their dependencies.
  lacks() {
    apt-get install --simulate --no-install-recommends -y ruby-actioncable puma \
      | awk '/^Inst/ { print $2 }'
  }
  # A new container has no package lists, and an old one has outdated lists.
  fetch() { apt-get -o Acquire::Retries=3 download $(lacks) >&2; }
  { [ -n "$(apt-cache show ruby-actioncable 2>/dev/null)" ] && fetch; } \
    || { apt-get update -qq >&2; fetch; }
  for package in *.deb; do dpkg -x "$package" "$root"; done
  rm -rf "$place/packages"
  touch "$place/unpacked"
fi

libraries="$root/usr/lib/$(uname -m)-linux-gnu"
ruby="$root/usr/lib/ruby"
gems="$root/usr/share/rubygems-integration"
cat <<SETTINGS
export PATH="$root/usr/bin:$PATH"
export LD_LIBRARY_PATH="$libraries"
export RUBYLIB="$ruby/vendor_ruby:$libraries/ruby/vendor_ruby/3.1.0:$ruby/3.1.0:$libraries/ruby/3.1.0"
export GEM_PATH="$gems/all:$gems/3.1.0:$libraries/rubygems-integration/3.1.0:$ruby/gems/3.1.0"
SETTINGS
