/**
 * Derives all keys from the one secret of an installation with HKDF-SHA-256 (RFC 5869) over purpose, session and
 * launch, so that no other secret has to be stored.
 */
import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { storedSecret, type SecretKind } from "./stored-secret.ts";
import { StartError } from "../start-error.ts";

const keyBytes = 32;
const kind: SecretKind = {
	name: "installation",
	form: /^[\w+/-]{43}=?$/,
	make: () => randomBytes(keyBytes).toString("base64url"),
};
/** The count of cached keys. Deriving a key costs more than the request that needs it. */
const cachedKeys = 1_000;

/** The secret of an installation and the keys derived from it. Derived keys never reveal the secret. */
export class InstallationKey {
	readonly #secret: Buffer;
	readonly #derived = new LRUCache<string, Buffer>({ max: cachedKeys });

	/** @param secret The secret of 32 bytes. @throws {RangeError} for another length. */
	constructor(secret: Buffer) {
		if (secret.length !== keyBytes) {
			throw new RangeError(`Cannot use an installation key of ${secret.length} bytes: it must have ${keyBytes}`);
		}
		this.#secret = secret;
	}

	/** Returns the fingerprint of the key, which reveals nothing about it. */
	print(): string {
		return printOf(this.#secret);
	}

	/** Returns the key that seals packets between the processes of the platform. */
	busSeal(): Buffer {
		return this.#derive("bus-seal");
	}

	/**
	 * Returns the token with which the pod of one launch authenticates to the platform:
	 * `svcs_<session>_<generation>_<proof>`.
	 */
	podToken(sessionId: string, generation: number): string {
		const proof = this.#derive("pod-token", sessionId, generation).toString("base64url");
		return `svcs_${sessionId}_${generation}_${proof}`;
	}

	/** Returns the key with which the platform authenticates to the pod of one launch. */
	platformKey(sessionId: string, generation: number): string {
		return this.#derive("platform-key", sessionId, generation).toString("base64url");
	}

	/** Returns the key that signs personal access tokens of an installation without an identity provider. */
	localTokenKey(): Buffer {
		return this.#derive("local-token");
	}

	/** Returns the key with which a runtime marks the processes of a launch. */
	podMarkKey(): string {
		return this.#derive("pod-mark").toString("base64url");
	}

	/** Returns the key that seals positions in the event log for clients. */
	streamSeal(): Buffer {
		return this.#derive("stream-position");
	}

	/** Returns the key that seals the stored secrets of users. */
	userSecretsKey(): Buffer {
		return this.#derive("user-secrets");
	}

	/** Returns the seed of the key that signs checkpoints of the audit log. */
	auditSeed(): Buffer {
		return this.#derive("audit-signature");
	}

	/**
	 * Returns a secret that only this installation can derive from the state of an OAuth login: the verifier of its code
	 * (RFC 7636), or the proof that a person has confirmed it.
	 */
	oauthSecret(purpose: "verifier" | "confirmation", text: string): string {
		// A login is derived twice and then forgotten, so it would only displace the cached keys.
		return this.#fresh(`atelier/oauth-${purpose}/${text}`).toString("base64url");
	}

	/** Returns the name of the installation for the environment of its processes; it reveals nothing about the key. */
	installationId(): string {
		return this.#derive("installation-id").toString("hex").slice(0, 16);
	}

	#derive(purpose: string, sessionId = "", generation = 0): Buffer {
		const info = `atelier/${purpose}/${sessionId}/${generation}`;
		const cached = this.#derived.get(info);
		if (cached) return cached;
		const key = this.#fresh(info);
		this.#derived.set(info, key);
		return key;
	}

	#fresh(info: string): Buffer {
		// The label of a key has at most 1,024 bytes, so a longer one is hashed.
		const label = info.length <= 200 ? info : createHash("sha256").update(info).digest("hex");
		return Buffer.from(hkdfSync("sha256", this.#secret, Buffer.alloc(0), label, keyBytes));
	}
}

/** Returns the fingerprint of a key as it is written in its file. */
export function keyPrint(text: string): string {
	return printOf(Buffer.from(text, "base64url"));
}

function printOf(secret: Buffer): string {
	return createHash("sha256").update("atelier/key-print/").update(secret).digest("hex").slice(0, 16);
}

/**
 * Returns the key from `configured` (base64url, 32 bytes) or, when that is empty, from `<dataDir>/keys/installation`,
 * which is created on first use (mode 0600).
 * @throws {StartError} when the folder cannot be used, or the key is malformed.
 */
export function openInstallationKey(dataDir: string, configured: string): InstallationKey {
	try {
		return new InstallationKey(Buffer.from(configured === "" ? storedSecret(dataDir, kind) : configured, "base64url"));
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		// An error of the file system concerns the folder, which the person chose; of keys that person knows nothing.
		const isFolder = configured === "" && error instanceof Error && "code" in error;
		const sentence = isFolder
			? `Cannot use the data folder "${dataDir}" (data_dir, or the environment variable DATA_DIR): ${reason}; name a folder in which this user may write`
			: `Cannot open the installation key${configured === "" ? ` in the data folder "${dataDir}"` : ""}: ${reason}`;
		throw new StartError(sentence, { cause: error });
	}
}
