/**
 * Extends the chains of the audit log inside transactions of a store that one process has for itself. No other writer can be
 * faster, so the ends of the chains are in memory, also those of a transaction that is not committed yet.
 */
import { LRUCache } from "lru-cache";
import type { Transaction } from "../port/outbox.ts";
import { type AuditDraft, type ChainHead, chained, chainStart } from "./audit-chain.ts";
import { auditCheckpointCollection, auditLogCollection } from "./audit-collections.ts";
import { auditDocumentOf } from "./audit-documents.ts";
import type { SignedCheckpoint } from "./audit-signature.ts";

const cachedHeads = 1_000;

/** The digits of the number in an id, so that ids of a tenant are in the order of its chain; 2⁵³ has 16. */
const digits = 16;

export class AuditChains {
	readonly #heads = new LRUCache<string, ChainHead>({ max: cachedHeads });
	/** The tenants whose chains have grown in this transaction. */
	readonly #grown = new Set<string>();
	/** Whether a transaction has begun that is not committed. */
	#isOpen = false;
	readonly #onGrown: (tenant: string) => void;

	/** @param onGrown Called for each chain with new entries when these are durable. */
	constructor(onGrown: (tenant: string) => void) {
		this.#onGrown = onGrown;
	}

	/** Enters entries behind the ends of their chains. When this throws, the caller rolls the transaction back. */
	enter(transaction: Transaction, drafts: readonly AuditDraft[]): void {
		for (const draft of drafts) this.#extend(transaction, draft);
	}

	/** A transaction begins: what the one before has left uncommitted is gone. */
	begin(): void {
		if (this.#isOpen) this.forget();
		this.#isOpen = true;
		this.#grown.clear();
	}

	/** All entries are durable. */
	committed(): void {
		this.#isOpen = false;
		for (const tenant of this.#grown) this.#onGrown(tenant);
	}

	/** The ends of the chains are read again when they are needed. */
	forget(): void {
		this.#heads.clear();
	}

	#extend(transaction: Transaction, draft: AuditDraft): void {
		const { tenant } = draft;
		const entry = chained(this.#heads.get(tenant) ?? newestOf(transaction, tenant), draft);
		const { seq, hash } = entry;
		const id = `${tenant}:${String(seq).padStart(digits, "0")}`;
		this.#grown.add(tenant);
		transaction.insert(auditLogCollection, auditDocumentOf(entry, id));
		this.#heads.set(tenant, { seq, hash });
	}
}

/** Returns the end of a chain, which goes on behind its newest checkpoint when all of its entries were removed. */
function newestOf(transaction: Transaction, tenant: string): ChainHead {
	const range = { equals: [tenant] };
	const newest = transaction.last(auditLogCollection, "by_tenant", range);
	if (newest) return { seq: newest.seq ?? 0, hash: newest.hash ?? "" };
	const checkpoint = transaction.last(auditCheckpointCollection, "by_tenant", range);
	if (!checkpoint) return chainStart;
	const { seq, hash }: SignedCheckpoint = JSON.parse(checkpoint.wire);
	return { seq, hash };
}
