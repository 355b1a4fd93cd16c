/** Finds keys of the configuration that name an environment variable which is not set. Pure. */

/**
 * Returns a sentence for each variable that a section names and that is not set. A key counts when its name ends with
 * `_env`; a map with such a name holds variables by argument.
 * @param key The name of the section.
 */
export function unsetVariables(section: unknown, key: string, env: (name: string) => string): string[] {
	return namedVariables(section, key)
		.filter(({ variable }) => variable !== "" && env(variable) === "")
		.map(
			({ at, variable }) =>
				`Configuration key "${at}" names the environment variable "${variable}", which is not set: set it where the platform is started, or remove the key`,
		);
}

function namedVariables(value: unknown, at: string): { at: string; variable: string }[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
		const below = `${at}.${name}`;
		if (!name.endsWith("_env")) return namedVariables(inner, below);
		const texts = typeof inner === "object" && inner !== null ? Object.entries(inner) : [["", inner]];
		return texts.flatMap(([member, variable]) =>
			typeof variable === "string" ? [{ at: member === "" ? below : `${below}.${String(member)}`, variable }] : [],
		);
	});
}
