#!/usr/bin/env bash
# Other people's programs that some tests drive: shells, interpreters, a terminal. Without them those tests say in their names what is absent.
set -u
programs="zsh:zsh ruby:ruby busybox:busybox fish:fish php:php-cli lua5.4:lua5.4 perl:perl tmux:tmux socat:socat jq:jq gawk:gawk setpriv:util-linux flock:util-linux mandoc:mandoc bwrap:bubblewrap"
missing=""
for each in $programs; do
  command -v "${each%%:*}" >/dev/null 2>&1 || missing="$missing ${each##*:}"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "not here, and not to be installed from here:$missing"
  exit 0
fi
echo "installing$missing"
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >/dev/null 2>&1 || echo "some of them could not be installed"
exit 0
