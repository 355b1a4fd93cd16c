/** Which protocols repositories may be named with: configured, or by who may call. */
import { type Config, isOnePersons } from "../config/config.ts";

/** One developer on their own machine may also name folders of it and servers on it. */
export function gitProtocols(config: Config): readonly string[] {
	const configured = config.git.allowed_protocols;
	if (configured.length > 0) return configured;
	return isOnePersons(config) ? ["https", "ssh", "http", "file"] : ["https", "ssh"];
}
