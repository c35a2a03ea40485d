#!/usr/bin/env bash
# Runs the whole suite as an ordinary user: users are not root, and several promises look different then. Needs root to become one.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" != 0 ]; then exec make test; fi
user=countersign-test
created=no
if ! id "$user" >/dev/null 2>&1; then
  useradd --system --create-home --home-dir "/var/tmp/$user" --shell /bin/bash "$user"
  created=yes
fi
tree=$(mktemp -d /var/tmp/countersign-tree.XXXXXX)
clean() {
  rm -rf "$tree"
  [ "$created" = no ] || userdel --remove "$user" >/dev/null 2>&1 || true
}
trap clean EXIT
git ls-files -z | xargs -0 cp --parents -t "$tree"
cp -a node_modules "$tree/"
chown -R "$user" "$tree"
cd "$tree"
setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups env -i HOME="/var/tmp/$user" USER="$user" LOGNAME="$user" SHELL=/bin/bash PATH="$PATH" LANG=C.UTF-8 TMPDIR=/tmp make test "$@"
