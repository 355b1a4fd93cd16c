/** Which environment variables a launch may set for the programs in a pod. Pure. */

const settableName = /^[A-Z_][A-Z0-9_]{0,63}$/;
/** Names that change which code runs, where it is read from, or whom it trusts. */
const refusedName =
	/^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|PS4|NODE_OPTIONS|PERL5OPT|GIT_EXTERNAL_DIFF|LD_.*|GIT_SSH.*|GIT_CONFIG.*|PYTHON.*|.*_PROXY|SSL_CERT_.*|KUBERNETES_.*|ATELIER_.*)$/;

/** Names that a shell refuses to set, or to set to any text; such an error ends it. SHELLOPTS would also log every value. */
const shellsName = /^(UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO|OPTIND)$/;

export function isSettable(name: string, value: string): boolean {
	const isRefused = refusedName.test(name) || shellsName.test(name);
	return settableName.test(name) && !isRefused && !value.includes("\0");
}
