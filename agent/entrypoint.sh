# Begins a program of the pod: it sources the environment file, deletes the token file, and becomes the program.
# The variable ATELIER_SECRETS names the folder of both files; either may be missing.
if [ -f "$ATELIER_SECRETS/env.sh" ]; then
	. "$ATELIER_SECRETS/env.sh"
fi
rm -f -- "$ATELIER_SECRETS/token"
exec "$@"
