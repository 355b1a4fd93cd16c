/** The proxy for HTTPS that the environment names, for connections that Node itself does not lead through it. */
import { environment } from "#shared/config/environment.ts";

/** The names that Node reads (`proxyEnv` of its agents). Servers that speak HTTP are reached directly: pods and session agents are such. */
const names = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;

export type ProxyVariables = Partial<Record<(typeof names)[number], string>>;

/** Returns the variables when `NODE_USE_ENV_PROXY` says that they hold, as it does for `fetch`; undefined: there is no proxy. */
export function environmentProxy(env: NodeJS.ProcessEnv = environment()): ProxyVariables | undefined {
	if (env["NODE_USE_ENV_PROXY"] !== "1" || !(env["HTTPS_PROXY"] || env["https_proxy"])) return undefined;
	return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
