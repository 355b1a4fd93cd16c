/**
 * The variables by which the programs of a session know the machine and its network: those of the person who started the
 * platform, without what npm added to start it, and without credentials (docs/decisions/0086-sessions-have-the-persons-tools.md).
 * Pure.
 */
import { pathOfPerson } from "./person-path.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const machineName = /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|USER|LOGNAME|SHELL|TMPDIR)$/;

/** The names that tell programs whom to trust, through which proxy they reach others, and where packages are. */
const networkName = new RegExp(
	`^(${[
		"NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|NODE_USE_ENV_PROXY|(NIX_)?SSL_CERT_FILE|SSL_CERT_DIR|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE",
		"GIT_SSL_CAINFO|GIT_SSL_CAPATH|AWS_CA_BUNDLE|CARGO_HTTP_CAINFO|DENO_CERT|DENO_TLS_CA_STORE",
		"(http|https|ftp|all|no)_proxy|(HTTP|HTTPS|FTP|ALL|NO)_PROXY",
		"(npm|NPM)_(config|CONFIG)_(registry|cafile|ca|https?_proxy|proxy|noproxy|strict_ssl|globalconfig)",
		"(npm|NPM)_(config|CONFIG)_(REGISTRY|CAFILE|CA|HTTPS?_PROXY|PROXY|NOPROXY|STRICT_SSL|GLOBALCONFIG)",
		"PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|PROXY|TRUSTED_HOST)|UV_(DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL)",
		"YARN_NPM_REGISTRY_SERVER|GOPROXY|GOPRIVATE|GONOPROXY|GOSUMDB|GONOSUMDB",
	].join("|")})$`,
);

/** The names of the addresses that no proxy serves; programs read either. */
const exceptions = ["no_proxy", "NO_PROXY"] as const;
const proxyName = /^(https?|ftp|all)_proxy$/i;
const loopback = ["localhost", "127.0.0.1", "::1"] as const;

/** Returns the variables. @param withCredentials The names of those that may hold a user and password. */
export function machineVariables(env: Variables, withCredentials: readonly string[] = []): Record<string, string> {
	const picked: Record<string, string> = {};
	for (const [name, value] of Object.entries(env))
		if (value !== undefined && isPassed(name, value, withCredentials)) picked[name] = value;
	if (picked["PATH"] !== undefined) picked["PATH"] = pathOfPerson(picked["PATH"]);
	return { ...picked, ...proxyExceptions(picked) };
}

/** Whether a variable is one about the network: a proxy, an authority, or a registry of packages. */
export function isNetworkVariable(name: string): boolean {
	return networkName.test(name);
}

/** Returns the names of the variables that sessions do not get because they hold a user or a password. */
export function withheldVariables(env: Variables, withCredentials: readonly string[] = []): string[] {
	return Object.entries(env).flatMap(([name, value]) =>
		networkName.test(name) && hasUser(value) && !withCredentials.includes(name) ? [name] : [],
	);
}

function isPassed(name: string, value: string, withCredentials: readonly string[]): boolean {
	if (machineName.test(name)) return true;
	return networkName.test(name) && value !== "" && (!hasUser(value) || withCredentials.includes(name));
}

/** Whether a value has an address with a user before the host; no file or address of another kind has that sign. */
function hasUser(value: string | undefined): boolean {
	return (value ?? "").includes("@");
}

/** A proxy knows nothing of the session's own machine, where its model and the platform are. */
function proxyExceptions(env: Readonly<Record<string, string>>): Record<string, string> {
	if (!Object.keys(env).some((name) => proxyName.test(name))) return {};
	const named = exceptions.flatMap((name) => (env[name] ?? "").split(",")).map((host) => host.trim());
	const all = [...new Set([...named.filter((host) => host !== ""), ...loopback])].join(",");
	return Object.fromEntries(exceptions.map((name) => [name, all]));
}
