/**
 * The chain of a tenant's audit log. Every entry contains its number, and its hash covers it and the hash of the entry
 * before it, so that no entry can be changed, removed or inserted unnoticed. Pure: a verifier needs nothing else.
 */
import { createHash } from "node:crypto";
import type { AuditEntryResource } from "#shared/contracts/audit.ts";

/** An entry in the log. The contract says what its members mean. */
export type ChainedEntry = Readonly<Omit<AuditEntryResource, "actor">> & {
	readonly actor: { readonly kind: string; readonly id: string };
};

type AuditEntry = Omit<ChainedEntry, "previous" | "hash">;

/** The facts that the writer of an entry knows; none of them is a secret. */
export type AuditFacts = Omit<AuditEntry, "tenant" | "seq" | "key">;

/** Facts with the tenant whose log they belong to and the key of the write that caused them. */
export interface AuditDraft {
	readonly tenant: string;
	readonly key: string;
	readonly facts: AuditFacts;
}

export interface ChainHead {
	readonly seq: number;
	readonly hash: string;
}

export const chainStart: ChainHead = { seq: 0, hash: "0".repeat(64) };

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
