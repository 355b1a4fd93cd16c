/**
 * The token of the identity adapter `token`: the platform creates it, and the command line on the same machine reads
 * it.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadAdapterClass } from "./adapter.ts";
import { loadConfig } from "./config.ts";
import { environment } from "./environment.ts";
import { isLoopback } from "#shared/base/hosts/loopback.ts";
import { storedSecret, type SecretKind } from "#shared/base/secrets/stored-secret.ts";
import { refuseUnusableKeys } from "#shared/base/files/unusable-files.ts";
import { StartError } from "#shared/base/start-error.ts";

const kind: SecretKind = {
	name: "api",
	form: /^atelier_[\w-]{43}$/,
	make: () => `atelier_${randomBytes(32).toString("base64url")}`,
};

/**
 * Returns the token; the first call creates it. @throws {StartError} when the data folder cannot be used, or holds an
 * incomplete token.
 */
export function openApiToken(dataDir: string): string {
	try {
		return storedSecret(dataDir, kind);
	} catch (error) {
		throw new StartError(`Cannot open the token in the data folder "${dataDir}": ${(error as Error).message}`, {
			cause: error,
		});
	}
}

/**
 * Returns the token that a client on this machine sends to a platform: `ATELIER_TOKEN`, or the token that the platform
 * of this configuration created. The latter is sent to no other machine. Undefined for identity adapters without
 * `storesToken`. @throws {StartError} when this user may not read it.
 */
export async function apiToken(env: NodeJS.ProcessEnv = environment()): Promise<string | undefined> {
	if (env["ATELIER_TOKEN"]) return env["ATELIER_TOKEN"];
	const { identity, data_dir } = loadConfig(env);
	const isHere = !env["ATELIER_URL"] || isLoopback(new URL(env["ATELIER_URL"]).hostname);
	if (!isHere || (await loadAdapterClass(identity))["storesToken"] !== true) return undefined;
	refuseUnusableKeys(data_dir);
	return existsSync(join(data_dir, "keys", kind.name)) ? openApiToken(data_dir) : undefined;
}
