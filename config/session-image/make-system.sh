#!/bin/sh
# make-system.sh : takes out of an image's system what no session needs, gives nobody a right by a file's mode, and sets all times
# to the same moment, so that two builds from the same packages have the same files,
# but for what Node makes of modules (load-agent.ts). It runs as root, at the end of a build.
set -e
# The user that the platform gives to sessions, unless its configuration names another one.
if id node >/dev/null 2>&1; then userdel node && rm -rf /home/node; fi
echo "agent:x:231001:231001::/home/agent:/bin/sh" >>/etc/passwd
echo "agent:x:231001:" >>/etc/group
mkdir -p /home/agent /session /session-state /run/atelier/in /run/atelier/out
rm -rf /usr/share/man /usr/share/info /usr/share/lintian /usr/share/linda /usr/share/bug /usr/share/doc-base
# Licences stay.
find /usr/share/doc -type f ! -name copyright -delete
find /usr/share/doc -type l -delete
find /usr/share/doc -mindepth 1 -type d -empty -delete
find /usr/share/locale -mindepth 1 -maxdepth 1 ! -name 'locale.alias' -exec rm -rf {} +
# Files that tell of the build: caches, logs, former versions, keys and names of this one machine.
rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /var/backups/* /var/lib/dpkg/*-old /var/lib/systemd /tmp/* /root/.npm /root/.cache
rm -f /etc/*- /etc/machine-id /var/lib/dbus/machine-id /etc/ssh/ssh_host_*
mkdir -p /var/cache/apt/archives/partial /var/log/apt
# The parts of Node's image beside node and npm.
rm -rf /opt/yarn* /usr/local/bin/yarn* /usr/local/bin/corepack /usr/local/lib/node_modules/corepack /usr/local/include/node \
	/usr/local/share/man /usr/local/share/doc /usr/local/CHANGELOG.md /usr/local/README.md /usr/local/bin/docker-entrypoint.sh
find / -xdev -type f -perm /6000 -exec chmod ug-s {} +
find / -xdev ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' -exec touch -h -d @0 {} + 2>/dev/null || true
