/**
 * Keys derived from the one secret of an installation, so that nothing secret has to be stored elsewhere:
 * HKDF-SHA-256 (RFC 5869) over purpose, session and launch.
 */
import { hkdfSync, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { keptSecret, type SecretKind } from "./kept-secret.ts";
import { StartError } from "../start-error.ts";

const keyBytes = 32;
const kind: SecretKind = {
	name: "installation",
	form: /^[\w+/-]{43}=?$/,
	make: () => randomBytes(keyBytes).toString("base64url"),
};
/** Of launches that are spoken with: deriving one costs more than what is asked with it. */
const keptKeys = 1_000;

export class InstallationKey {
	readonly #secret: Buffer;
	readonly #derived = new LRUCache<string, Buffer>({ max: keptKeys });

	/** @param secret 32 bytes. */
	constructor(secret: Buffer) {
		if (secret.length !== keyBytes) {
			throw new RangeError(`Cannot use an installation key of ${secret.length} bytes: it must have ${keyBytes}`);
		}
		this.#secret = secret;
	}

	/** Seals what the processes of the platform tell each other. */
	busSeal(): Buffer {
		return this.#derive("bus-seal");
	}

	/** What the pod of one launch shows to the platform: `svcs_<session>_<generation>_<proof>`. */
	podToken(sessionId: string, generation: number): string {
		const proof = this.#derive("pod-token", sessionId, generation).toString("base64url");
		return `svcs_${sessionId}_${generation}_${proof}`;
	}

	/** What the platform shows to the pod of one launch. */
	platformKey(sessionId: string, generation: number): string {
		return this.#derive("platform-key", sessionId, generation).toString("base64url");
	}

	/** With it a runtime marks what belongs to a launch. */
	podMarkKey(): string {
		return this.#derive("pod-mark").toString("base64url");
	}

	/** Names the installation in the environment of its processes; tells nothing about the key. */
	installationId(): string {
		return this.#derive("installation-id").toString("hex").slice(0, 16);
	}

	#derive(purpose: string, sessionId = "", generation = 0): Buffer {
		const info = `atelier/${purpose}/${sessionId}/${generation}`;
		const kept = this.#derived.get(info);
		if (kept) return kept;
		const key = Buffer.from(hkdfSync("sha256", this.#secret, Buffer.alloc(0), info, keyBytes));
		this.#derived.set(info, key);
		return key;
	}
}

/**
 * The key from `configured` (base64url, 32 bytes) or, when that is empty, from `<dataDir>/keys/installation`,
 * which is made on first use (mode 0600).
 * @throws {StartError} when the folder cannot be used, or the key is none.
 */
export function openInstallationKey(dataDir: string, configured: string): InstallationKey {
	try {
		return new InstallationKey(Buffer.from(configured === "" ? keptSecret(dataDir, kind) : configured, "base64url"));
	} catch (error) {
		const place = configured === "" ? ` in the data folder "${dataDir}"` : "";
		const reason = error instanceof Error ? error.message : String(error);
		throw new StartError(`Cannot open the installation key${place}: ${reason}`, { cause: error });
	}
}
