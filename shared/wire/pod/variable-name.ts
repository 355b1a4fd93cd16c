/** Which environment variables a launch may set for the programs in a pod. Pure. */

const settableName = /^[A-Z_][A-Z0-9_]{0,63}$/;
/** Names that change which code runs, where it is read from, or whom it trusts. */
const refusedName =
	/^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|PS4|NODE_OPTIONS|PERL5OPT|GIT_EXTERNAL_DIFF|LD_.*|GIT_SSH.*|GIT_CONFIG.*|PYTHON.*|.*_PROXY|SSL_CERT_.*|KUBERNETES_.*|ATELIER_.*)$/;

/** Names that a shell refuses to set, or to set to any text; such an error ends it. SHELLOPTS would also log every value. */
const shellsName = /^(UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO|OPTIND)$/;

export function isSettable(name: string, value: string): boolean {
	return settableName.test(name) && !isRefusedName(name) && !value.includes("\0");
}

/** Whether no launch sets a variable of this name, because programs or the shell itself decide by it. */
export function isRefusedName(name: string): boolean {
	return refusedName.test(name) || shellsName.test(name);
}

/** The most faults that one sentence names. */
const maxFaults = 5;
/** The most characters of a name in a sentence. */
const maxShown = 64;

/** Returns what is wrong with variables that no launch would set; no value is repeated. */
export function variableFaults(variables: Readonly<Record<string, string>>): string[] {
	const refused = Object.entries(variables).filter(([name, value]) => !isSettable(name, value));
	return refused.slice(0, maxFaults).map(([name, value]) => {
		const shown = JSON.stringify(name.slice(0, maxShown));
		if (!settableName.test(name))
			return `The variable ${shown} needs a name of at most 64 capital letters, digits and "_", which begins with no digit`;
		if (value.includes("\0")) return `The value of the variable ${shown} has a character that no variable can have`;
		return `The variable ${shown} cannot be set, because it decides which programs run or whom they trust; a setup script can set it for what it runs`;
	});
}
