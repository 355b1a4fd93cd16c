# shellcheck shell=bash
# Vault 1.21.4 from its Go module. The SDK that this release is made with was never published as a module: it is that of 0.21.0 with one
# file of 0.24.0 and one line. Sourced by servers.sh.
get_vault() (
	command -v go >/dev/null || die "vault is built from its source: Go is missing"
	scratch=$(mktemp -d)
	trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
	export CGO_ENABLED=0 GOFLAGS="-mod=mod -modcacherw" GOCACHE=$scratch/cache GOMODCACHE=$scratch/modules
	modules=$GOMODCACHE/github.com/hashicorp/vault
	go mod download github.com/hashicorp/vault/sdk@v0.21.0 github.com/hashicorp/vault/sdk@v0.24.0 || die "vault cannot be fetched"
	cp -r "$modules/sdk@v0.21.0" "$scratch/sdk"
	chmod -R u+w "$scratch/sdk"
	cp "$modules/sdk@v0.24.0/helper/keysutil/lock_manager.go" "$scratch/sdk/helper/keysutil/"
	sed -i 's/\(ActivationFunc func(context.Context, \*logical.Request\), string) error/\1) error/' "$scratch/sdk/framework/backend.go"
	mkdir -p "$bin"
	replaced="replace github.com/hashicorp/vault/sdk => $scratch/sdk" go_module vault github.com/hashicorp/vault v1.21.4 github.com/hashicorp/vault ""
)
