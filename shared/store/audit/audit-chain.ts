/**
 * The chain of a tenant's audit log. Every entry contains its number, and its hash covers it and the hash of the entry
 * before it, so that no entry can be changed, removed or inserted unnoticed. Pure: a verifier needs nothing else.
 */
import { createHash } from "node:crypto";

/** The result of the audited action: done, about to be done, refused, or read. */
export type AuditOutcome = "done" | "begun" | "refused" | "read";

/** The facts that the writer of an entry knows. */
export interface AuditFacts {
	/** ISO 8601, UTC. */
	readonly time: string;
	readonly actor: { readonly kind: string; readonly id: string; readonly token?: string };
	/** The action that was called, e.g. `sessions.stop`. */
	readonly action: string;
	readonly outcome: AuditOutcome;
	/** The object, e.g. `sessions/<id>`; absent: none, or a list. */
	readonly resource?: string;
	/** The members of the object after the change that may be shown. Never a secret. */
	readonly changed?: Readonly<Record<string, unknown>>;
	readonly reason?: string;
	readonly request_id?: string;
	readonly address?: string;
}

/** Facts with the tenant whose log they belong to and the key of the write that caused them. */
export interface AuditDraft {
	readonly tenant: string;
	readonly key: string;
	readonly facts: AuditFacts;
}

/** The facts with their place in the log of a tenant. */
export interface AuditEntry extends AuditFacts {
	readonly tenant: string;
	/** Counts the entries of the tenant from 1, without gaps. */
	readonly seq: number;
	/** Identifies the write that caused the entry; no two entries have the same. */
	readonly key: string;
}

/** An entry in the log. */
export interface ChainedEntry extends AuditEntry {
	/** The hash of the entry before; 64 zeros for the first one. */
	readonly previous: string;
	/** SHA-256 over `previous`, a line feed and the other members as JSON without blanks, in hexadecimal digits. */
	readonly hash: string;
}

/** The place of an entry in its chain. */
export interface ChainHead {
	readonly seq: number;
	readonly hash: string;
}

/** The head of an empty chain. */
export const chainStart: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** Returns the entry behind the head. */
export function chained({ seq, hash: previous }: ChainHead, { tenant, key, facts }: AuditDraft): ChainedEntry {
	const entry: AuditEntry = { tenant, seq: seq + 1, key, ...facts };
	return { ...entry, previous, hash: hashOf(previous, entry) };
}

/** Returns a sentence that says why this entry does not continue the chain; undefined when it does. */
export function linkFault(head: ChainHead, { previous, hash, ...entry }: ChainedEntry): string | undefined {
	if (entry.seq !== head.seq + 1) return `Entry ${head.seq + 1} is missing: entry ${entry.seq} follows ${head.seq}`;
	if (previous !== head.hash) return `Entry ${entry.seq} does not continue entry ${head.seq}`;
	return hash === hashOf(previous, entry) ? undefined : `Entry ${entry.seq} was changed: its hash does not fit`;
}

function hashOf(previous: string, entry: AuditEntry): string {
	return createHash("sha256")
		.update(`${previous}\n${JSON.stringify(entry)}`)
		.digest("hex");
}
