#!/usr/bin/env bash
# gitea PORT FOLDER : a Gitea of its own on a port of loopback, with its data in the folder; makes people and prints their tokens as
# lines "NAME TOKEN" into FOLDER/tokens before it listens.
set -euo pipefail
port=$1
folder=$2
home=HOME_OF_GITEA
cat >"$folder/app.ini" <<-END
	RUN_USER = $(id -un)
	RUN_MODE = prod
	I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
	WORK_PATH = $folder
	[server]
	HTTP_ADDR = 127.0.0.1
	HTTP_PORT = $port
	ROOT_URL = http://127.0.0.1:$port/
	STATIC_ROOT_PATH = $home
	DISABLE_SSH = true
	SSH_ROOT_PATH = $folder/ssh
	OFFLINE_MODE = true
	LFS_START_SERVER = false
	[database]
	DB_TYPE = sqlite3
	PATH = $folder/gitea.db
	[security]
	INSTALL_LOCK = true
	SECRET_KEY = tests
	PASSWORD_HASH_ALGO = pbkdf2
	[service]
	DISABLE_REGISTRATION = true
	[webhook]
	ALLOWED_HOST_LIST = loopback
	[migrations]
	ALLOW_LOCALNETWORKS = true
	[actions]
	ENABLED = false
	[cron]
	ENABLED = false
	[log]
	LEVEL = Warn
END
export HOME=$folder
gitea() { "$home/gitea" --config "$folder/app.ini" "$@"; }
gitea migrate >"$folder/log" 2>&1
for name in ada bob; do
	rights=()
	if [[ $name == ada ]]; then rights=(--admin); fi
	gitea admin user create --username "$name" --password "pw-$name-1" --email "$name@example.test" --must-change-password=false "${rights[@]}" >>"$folder/log" 2>&1
	echo "$name $(gitea admin user generate-access-token --username "$name" --scopes all --raw 2>>"$folder/log" | tail -1)" >>"$folder/tokens"
done
exec "$home/gitea" --config "$folder/app.ini" web >>"$folder/log" 2>&1
