/** Which protocols repositories may be named with: configured, or by who may call. */
import type { Config } from "../config/config.ts";

/** @param trustsCallers They may also name folders of this machine and servers on it. */
export function gitProtocols(config: Config, trustsCallers: boolean): readonly string[] {
	const configured = config.git.allowed_protocols;
	if (configured.length > 0) return configured;
	return trustsCallers ? ["https", "ssh", "http", "file"] : ["https", "ssh"];
}
