#!/bin/sh
# docker-engine FOLDER NAMESPACE [OPTION...] : a Docker engine that listens at FOLDER/docker.sock, with its containers and published ports
# in a network namespace that exists, and its mounts in a namespace of its own. SERVERS_HOME holds the base image.
set -e
if [ "$1" = --base ]; then
	echo SERVERS_HOME/docker-base.tar
	exit 0
fi
folder=$1
namespace=$2
shift 2
exec nsenter "--net=/run/netns/$namespace" unshare --mount dockerd --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
	--host "unix://$folder/docker.sock" --exec-opt native.cgroupdriver=cgroupfs --storage-driver overlay2 "$@"
