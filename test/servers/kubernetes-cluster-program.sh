#!/usr/bin/env bash
# kubernetes-cluster COMMAND... : runs a command on a machine for a cluster. The machine has a network, mounts and processes of its own, which
# end with the command. KUBERNETES_CLUSTER_FOLDER is a folder for the cluster and KUBERNETES_CLUSTER_GROUP the name of a control group for its
# pods; both are removed at the end. The kernel settings that a kubelet insists on are files of the machine, so that those of the host stay as they are.
set -euo pipefail

group=atelier-cluster-$$
folder=$(mktemp -d -t "$group-XXXXXX")
hierarchies=(/sys/fs/cgroup/*/)
if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then hierarchies=(/sys/fs/cgroup/); fi

# A group that has a process, which is ending, cannot be removed yet.
clean_up() {
	local each try
	for each in "${hierarchies[@]}"; do
		for ((try = 0; try < 100; try++)); do
			if [[ ! -d $each$group ]] || find "$each$group" -depth -type d -exec rmdir {} + 2>/dev/null; then break; fi
			sleep 0.1
		done
	done
	rm -rf "$folder"
}
# Another process reads from this one, so that it cleans up when this one was killed.
exec 3> >(trap "" TERM INT HUP && cat >/dev/null && clean_up)
trap 'clean_up' EXIT

for each in "${hierarchies[@]}"; do
	mkdir "$each$group"
	# A group of the first version begins without processors, and takes no processes then.
	for setting in cpuset.cpus cpuset.mems; do
		if [[ -e $each$group/$setting && ! -e $each$group/cgroup.controllers ]]; then cat "$each$setting" >"$each$group/$setting"; fi
	done
done

export KUBERNETES_CLUSTER_FOLDER=$folder KUBERNETES_CLUSTER_GROUP=$group
# shellcheck disable=SC2016
machine='
	set -e
	mount --make-rshared /
	mkdir "$KUBERNETES_CLUSTER_FOLDER/settings"
	for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
		file=$KUBERNETES_CLUSTER_FOLDER/settings/${setting//\//_}
		echo "${setting#*=}" >"$file"
		mount --bind "$file" "/proc/sys/${setting%=*}"
	done
	ip link set lo up
	# This first process of the machine reaps what others leave.
	"$@" &
	command=$!
	trap "kill $command" TERM
	while kill -0 $command 2>/dev/null; do
		wait $command && status=0 || status=$?
	done
	exit $status
'
# A machine whose starter is killed ends with it.
setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private bash -c "$machine" machine "$@" 3>&- &
unshared=$!
# The first process of the machine gets no signal from here, so that its processes are told.
trap 'pkill -TERM --parent "$unshared" || true' TERM INT
while kill -0 "$unshared" 2>/dev/null; do
	wait "$unshared" && status=0 || status=$?
done
exit "$status"
