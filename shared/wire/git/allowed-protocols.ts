/** Decides with which protocols repositories may be named: as configured, or by the kind of callers. */
import type { Config } from "#shared/config/config.ts";

/** Returns the protocols. @param trustsCallers Whether callers may also name folders of this machine and servers on it. */
export function gitProtocols(config: Config, trustsCallers: boolean): readonly string[] {
	const configured = config.git.allowed_protocols;
	if (configured.length > 0) return configured;
	return trustsCallers ? ["https", "ssh", "http", "file"] : ["https", "ssh"];
}
