# Begins the session agent in an image that somebody else has made: `sh enter-image.sh <agent's arguments>`. It is the first process
# of the container, so that it also reaps what commands leave behind. Exit code 78: the image has no git, 79: its git is too old.
# An engine would copy everything that a session writes to the log of its first process. A cluster bounds that log.
if [ -d /run/atelier/out ]; then
	exec >>/run/atelier/out/agent.log 2>&1
fi
if ! version=$(git --version 2>/dev/null); then
	echo "The image has no git, which sessions need" >&2
	exit 78
fi
number=${version#git version }
major=${number%%.*}
rest=${number#*.}
minor=${rest%%.*}
if ! { [ "$major" -gt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -ge 39 ]; }; } 2>/dev/null; then
	echo "The image has $version, and sessions need 2.39 or later" >&2
	exit 79
fi
# An image may set them for its own programs; they would change this one.
unset LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT NODE_OPTIONS NODE_PATH
/opt/atelier/bin/node "$@" &
agent=$!
# An image may name another signal for its end.
trap 'kill -TERM "$agent" 2>/dev/null' TERM INT QUIT HUP USR1 USR2 WINCH
wait "$agent"
code=$?
# A signal ends the waiting, and not the agent.
while kill -0 "$agent" 2>/dev/null; do
	wait "$agent"
	code=$?
done
exit "$code"
