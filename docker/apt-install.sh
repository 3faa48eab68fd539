#!/bin/sh
# Installs packages in a build, from the mirror and with the certificates of the machine that builds,
# and leaves nothing of either behind: the image keeps the public Debian sources.
#
# usage: apt-install.sh PACKAGE...      (APT_MIRROR in the environment, ca.pem beside this script)
set -eu
here=$(dirname "$0")
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb $APT_MIRROR $suite main" > "$here/sources.list"
# apt drops privileges for downloads and must be able to read the certificates.
chmod 755 "$here" && chmod 644 "$here"/*

apt() {
  apt-get -qq \
    -o Dir::Etc::sourcelist="$here/sources.list" -o Dir::Etc::sourceparts=- \
    -o Acquire::https::CaInfo="$here/ca.pem" -o Acquire::Retries=3 \
    -o Dpkg::Use-Pty=0 "$@"
}

export DEBIAN_FRONTEND=noninteractive
apt update
apt install --yes --no-install-recommends "$@" > "$here/apt.log" 2>&1 || {
  tail -n 30 "$here/apt.log" >&2
  exit 1
}
apt clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
  /var/cache/debconf/*-old /var/cache/ldconfig/aux-cache
