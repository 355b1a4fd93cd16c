# Starts a program in the place of this shell, with an environment of the named variables only. All of its environment
# comes to it through a pipe, whose descriptor ATELIER_ENVIRONMENT_FD names; no process keeps it.
# Usage: sh hidden-environment.sh '<names>' <program> <argument>...
set -eu
names=$1
shift
folder=$(mktemp -d)
mkfifo -m 600 "$folder/pipe"
exec 4<>"$folder/pipe" 3<"$folder/pipe"
rm -r "$folder"
# In the background, for it may be more than a pipe holds; nobody's child, so that nobody has to wait for it.
(cat /proc/self/environ >&4 3<&- &)
exec 4>&-
for name in $names; do
	eval "set -- \"$name=\$$name\" \"\$@\""
done
exec env -i ATELIER_ENVIRONMENT_FD=3 "$@"
