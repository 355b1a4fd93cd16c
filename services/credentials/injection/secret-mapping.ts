/** Maps credentials that a session names to variables, files and git credentials, by their types. Pure. */
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { SecretType } from "#shared/contracts/credentials/secret-types.ts";
import { fieldVariable, isForeignField, isVariableForm, variableName } from "../types/credential-variables.ts";
import { secretTypeTable } from "../types/secret-type-table.ts";

/**
 * The part of one credential that a launch gets. Named credentials are mapped by their types; an integration's definition is
 * another source of mappings (`env_from_credentials`, `file_mounts`).
 */
export interface SecretMapping {
	/** The field of each environment variable. */
	readonly variables: Readonly<Record<string, string>>;
	/** The field of each file, by the file's path in the pod. */
	readonly files: Readonly<Record<string, string>>;
	/** The fields that hold URLs for git's credential helper. */
	readonly git: readonly string[];
	/** The hosts at which a field is the password for git; default none. */
	readonly git_hosts?: LaunchMapping["git_hosts"];
	/** The MCP servers whose variables are fields; default none. */
	readonly mcp_servers?: LaunchMapping["mcp_servers"];
}

export interface NamedCredential {
	readonly name: string;
	readonly secret_type: SecretType;
	readonly keys: readonly string[];
	/** Whether it belongs to the tenant and not to the owner of the session. */
	readonly isForeign?: boolean;
}

/** Returns the mapping of a credential. @param isTaken Tells which files other credentials of the launch have. */
export function mappingOf(credential: NamedCredential, isTaken: (target: string) => boolean): SecretMapping {
	const { secret_type: type, keys } = credential;
	const { withheld, default_mount_type } = secretTypeTable[type];
	const given = keys.filter((key) => !withheld.includes(key));
	if (type === "git_credential") return { variables: {}, files: {}, git: given.filter((key) => key === "url") };
	if (default_mount_type === "env") return { variables: variablesOf(credential, given), files: {}, git: [] };
	return { variables: {}, files: filesOf(credential, given, isTaken), git: [] };
}

/**
 * The name of the credential is the variable of its only field; several fields are told apart by their names (contract,
 * behaviour 9). A field that is written like a variable is also the variable of that name (specification, Credential
 * secret types: `export KEY='value'`), but only in the owner's own credential: the names of variables decide which programs
 * run, and a credential of the tenant is written by somebody else (docs/decisions/0126-names-of-variables-are-the-owners.md).
 */
function variablesOf({ name, keys, isForeign }: NamedCredential, given: readonly string[]): Record<string, string> {
	if (keys.length === 1 && isForeign) return Object.fromEntries(given.map((key) => [variableName(name), key]));
	const set = isForeign ? given.filter(isForeignField) : given;
	const named = set.map((key) => [keys.length === 1 ? variableName(name) : fieldVariable(name, key), key]);
	const own = isForeign ? [] : set.filter(isVariableForm).map((key) => [key, key]);
	return Object.fromEntries([...named, ...own]);
}

/** The usual places of each type, and those of a second credential of the type. */
function filesOf(
	{ name, secret_type }: NamedCredential,
	given: readonly string[],
	isTaken: (target: string) => boolean,
): Record<string, string> {
	const usual = placesOf(secret_type, secret_type === "ssh_key" ? "id_rsa" : "");
	const places = Object.values(usual).some(isTaken) ? placesOf(secret_type, name) : usual;
	return Object.fromEntries(
		given.flatMap((key) => {
			const place = Object.hasOwn(places, key) ? places[key] : undefined;
			return place === undefined ? [] : [[place, key]];
		}),
	);
}

function placesOf(type: SecretType, name: string): Record<string, string> {
	if (type === "ssh_key") {
		const known_hosts = name === "id_rsa" ? "~/.ssh/known_hosts" : `~/.ssh/${name}.known_hosts`;
		return { private_key: `~/.ssh/${name}`, public_key: `~/.ssh/${name}.pub`, known_hosts };
	}
	const folder = name === "" ? "/run/secrets/tls" : `/run/secrets/tls/${name}`;
	return { certificate: `${folder}/certificate`, private_key: `${folder}/private_key` };
}
