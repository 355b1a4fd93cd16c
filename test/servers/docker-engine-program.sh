#!/bin/sh
# docker-engine FOLDER NAMESPACE : a Docker engine that listens at FOLDER/docker.sock, with its containers and published ports
# in a network namespace that exists, and its mounts in a namespace of its own. SERVERS_HOME holds the base image.
set -e
if [ "$1" = --base ]; then
	echo SERVERS_HOME/docker-base.tar
	exit 0
fi
exec nsenter "--net=/run/netns/$2" unshare --mount dockerd --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" \
	--host "unix://$1/docker.sock" --exec-opt native.cgroupdriver=cgroupfs --storage-driver overlay2
