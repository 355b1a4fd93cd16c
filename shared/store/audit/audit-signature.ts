/**
 * Checkpoints of audit logs: signed statements (Ed25519, RFC 8032) that a tenant's chain had this hash at this entry.
 * The public key is exported with the log; whoever keeps a copy of it elsewhere can verify every later export.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { AuditCheckpointResource } from "#shared/contracts/audit.ts";

/** The statement about one entry of a chain, with its signature in base64url. */
export type SignedCheckpoint = Readonly<AuditCheckpointResource>;

type Checkpoint = Omit<SignedCheckpoint, "signature">;

/** The beginning of an Ed25519 private key in PKCS #8 (RFC 8410, section 7); 32 bytes of seed follow. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

export class AuditSigner {
	readonly #key: KeyObject;
	/** The public key as PEM. */
	readonly publicKey: string;

	/** @param seed 32 secret bytes. */
	constructor(seed: Buffer) {
		this.#key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" });
		this.publicKey = String(createPublicKey(this.#key).export({ format: "pem", type: "spki" }));
	}

	sign(checkpoint: Checkpoint): SignedCheckpoint {
		return { ...checkpoint, signature: sign(null, statementOf(checkpoint), this.#key).toString("base64url") };
	}
}

/** Whether the checkpoint was signed by the owner of this public key (PEM). @throws {Error} when the key is none. */
export function isSigned(checkpoint: SignedCheckpoint, publicKey: string): boolean {
	return verify(
		null,
		statementOf(checkpoint),
		createPublicKey(publicKey),
		Buffer.from(checkpoint.signature, "base64url"),
	);
}

function statementOf({ tenant, seq, hash, time }: Checkpoint): Buffer {
	return Buffer.from(`atelier audit checkpoint\n${JSON.stringify({ tenant, seq, hash, time })}`);
}
