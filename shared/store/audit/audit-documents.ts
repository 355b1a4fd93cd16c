/** The stored form of entries of the audit log. */
import { type AuditDraft, type ChainHead, chained, type ChainedEntry } from "./audit-chain.ts";
import type { AuditDocument } from "./audit-collections.ts";

export function documentsBehind(head: ChainHead, drafts: readonly AuditDraft[]): AuditDocument[] {
	let last = head;
	return drafts.map((draft) => {
		const entry = chained(last, draft);
		last = entry;
		return auditDocumentOf(entry, entry.key);
	});
}

export function auditDocumentOf(entry: ChainedEntry, id: string): AuditDocument {
	const { tenant, seq, hash, actor, resource, time } = entry;
	return {
		id,
		wire: JSON.stringify(entry),
		tenant,
		seq,
		hash,
		actor: actor.id,
		at: Date.parse(time),
		...(resource !== undefined && { resource }),
	};
}
