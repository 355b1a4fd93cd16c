# Sourced by servers.sh: programs of Kubernetes 1.36.3, built from its Go module in modules of our own. The parts of Kubernetes that its
# module replaces by folders of its source are modules of the same release.
# shellcheck shell=bash
# shellcheck disable=SC2154 # servers.sh sets `bin`, `scratch` and `servers`.

# kubernetes_programs PROGRAM... : builds them below $scratch.
kubernetes_programs() {
	local program component=k8s.io/component-base/version
	for program in "$@"; do
		go_module "$program" k8s.io/kubernetes v1.36.3 "k8s.io/kubernetes/cmd/$program" \
			"-X $component.gitVersion=v1.36.3 -X $component.gitMajor=1 -X $component.gitMinor=36 -X $component.gitTreeState=clean -X $component.gitCommit=module"
	done
}

# in_go_scratch NAME COMMAND... : runs the command with a scratch folder for builds with Go.
in_go_scratch() (
	command -v go >/dev/null || die "$1 is built from its source: Go is missing"
	shift
	scratch=$(mktemp -d)
	trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
	export CGO_ENABLED=0 GOFLAGS="-mod=mod -modcacherw" GOCACHE=$scratch/cache GOMODCACHE=$scratch/modules
	mkdir -p "$bin"
	"$@"
)

# Debian's etcd is too old for the API server.
get_kube-apiserver() { in_go_scratch kube-apiserver build_api_server; }
build_api_server() {
	go_module etcd go.etcd.io/etcd/server/v3 v3.6.16 go.etcd.io/etcd/server/v3 ""
	kubernetes_programs kube-apiserver
}

# A machine for a cluster is a program that starts another one there (kubernetes-cluster-program.sh).
get_kubernetes-cluster() {
	local each missing=()
	((EUID == 0)) || die "a cluster is for root: it makes namespaces, mounts and control groups"
	for each in containerd runc containernetworking-plugins iproute2 nftables conntrack busybox-static; do
		dpkg -s "$each" >/dev/null 2>&1 || package "$each"
	done
	[[ -x $bin/kube-apiserver ]] || command -v kube-apiserver >/dev/null || get_kube-apiserver
	for each in kube-controller-manager kube-scheduler kubectl kubelet kube-proxy; do
		[[ -x $bin/$each ]] || missing+=("$each")
	done
	if ((${#missing[@]} > 0)); then in_go_scratch kubernetes-cluster kubernetes_programs "${missing[@]}"; fi
	mkdir -p "$bin"
	install -m 755 "$servers/kubernetes-cluster-program.sh" "$bin/.kubernetes-cluster.$$"
	mv "$bin/.kubernetes-cluster.$$" "$bin/kubernetes-cluster"
}

# KWOK does nothing without stages, which lie in its module: $SERVERS_DIR/kwok/stages.yaml has those of nodes and pods that become ready,
# and the folders beside it those of nodes and pods that fail.
get_kwok() { in_go_scratch kwok build_kwok; }
build_kwok() {
	local each module=sigs.k8s.io/kwok version=v0.8.0 folder=$SERVERS_DIR/kwok stages
	go_module kwok "$module" "$version" "$module/cmd/kwok" ""
	stages=$GOMODCACHE/$module@$version/kustomize/stage
	rm -rf "$folder"
	mkdir -p "$folder/nodes-that-fail" "$folder/pods-that-fail"
	for each in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do
		echo ---
		cat "$stages/$each.yaml"
	done >"$folder/stages.yaml"
	cp "$stages"/node/chaos/*.yaml "$folder/nodes-that-fail/"
	cp "$stages"/pod/chaos/*.yaml "$folder/pods-that-fail/"
	chmod -R u+w "$folder"
}
