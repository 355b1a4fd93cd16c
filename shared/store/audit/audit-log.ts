/**
 * The audit log on a store: one chain of entries for each tenant. Several processes may append at once; a lost race is
 * repeated behind the newer entry.
 */
import { isoTime, now } from "#shared/base/clock.ts";
import { GatheredWork } from "#shared/base/concurrency/gathered-work.ts";
import { tooFast } from "../compare-and-set.ts";
import type { DocumentStore } from "../document-store.ts";
import { type Found, maxAppended, maxRemoved } from "../port/documents.ts";
import type { Transactions } from "../port/outbox.ts";
import { insertOnce } from "../insert-once.ts";
import type { PageRequest } from "../pages/memory-page.ts";
import { removeAll } from "../remove-first.ts";
import { LRUCache } from "lru-cache";
import { AuditChains } from "./audit-chains.ts";
import { type AuditDraft, type ChainHead, chainStart } from "./audit-chain.ts";
import { auditCheckpointCollection, auditLogCollection } from "./audit-collections.ts";
import { documentsBehind } from "./audit-documents.ts";
import type { AuditSigner, SignedCheckpoint } from "./audit-signature.ts";

/** The filter and the position of a page, newest entries first. */
export interface AuditQuery extends Omit<PageRequest, "known"> {
	readonly actor?: string | undefined;
	readonly resource?: string | undefined;
}

type AuditColumns = (typeof auditLogCollection)["columns"];

const dayMs = 86_400_000;
const maxRaces = 50;
const cachedHeads = 1_000;
const maxPageBytes = 600_000;

/** The log of all tenants. It owns nothing: the process opens and closes the store. */
export class AuditLog {
	readonly #store: DocumentStore;
	readonly #signer: AuditSigner;
	/** The newest entries that this process knows of; another process may have appended newer ones. */
	readonly #heads = new LRUCache<string, ChainHead>({ max: cachedHeads });
	/** The writers of one process append together, and do not race against each other. */
	readonly #appended = new GatheredWork<readonly AuditDraft[], void>((tenant, drafts) =>
		this.#extend(tenant, drafts.flat()),
	);
	/** The tenants with entries behind their newest checkpoint that this process has appended. */
	readonly #unsigned = new Set<string>();
	/** Extends the chains in transactions of the store, once {@link enterIn} was called. */
	readonly chains = new AuditChains((tenant) => this.#unsigned.add(tenant));
	/** Absent: entries are appended, also by other processes. */
	#transactions: Transactions | undefined;

	constructor(store: DocumentStore, signer: AuditSigner) {
		this.#store = store;
		this.#signer = signer;
	}

	get publicKey(): string {
		return this.#signer.publicKey;
	}

	/** Enters all later entries in transactions of the store, which no other process has; the caller tells `chains` of these. */
	enterIn(transactions: Transactions): void {
		this.#transactions = transactions;
	}

	/**
	 * Appends the entries that the log does not have yet, in their order; in a transaction, where no entry can be repeated, all of
	 * them. @throws {UnavailableError} after too many lost races.
	 */
	async append(drafts: readonly AuditDraft[]): Promise<void> {
		if (this.#transactions) return this.#transactions.run((transaction) => this.chains.enter(transaction, drafts));
		const tenants = Map.groupBy(drafts, ({ tenant }) => tenant);
		for (const [tenant, own] of tenants) await this.#appended.run(tenant, own);
	}

	async page(tenant: string, { actor, resource, limit, cursor }: AuditQuery): Promise<Found<AuditColumns>> {
		const page = { limit, maxBytes: maxPageBytes, descending: true, ...(cursor !== undefined && { after: cursor }) };
		if (resource !== undefined)
			return this.#store.find(auditLogCollection, "by_resource", { equals: [tenant, resource] }, page);
		if (actor !== undefined) return this.#store.find(auditLogCollection, "by_actor", { equals: [tenant, actor] }, page);
		return this.#store.find(auditLogCollection, "by_tenant", { equals: [tenant] }, page);
	}

	/** Returns the texts of the entries after `after`, oldest first, as many as fit into one answer. */
	async entries(tenant: string, after: number, limit: number): Promise<string[]> {
		const range = { equals: [tenant], from: after + 1 };
		const page = { limit, maxBytes: maxPageBytes };
		const { documents } = await this.#store.find(auditLogCollection, "by_tenant", range, page);
		return documents.map(({ wire }) => wire);
	}

	/** Signs the newest entry of a tenant, unless that is done; undefined while the log of the tenant is empty. */
	async checkpoint(tenant: string): Promise<SignedCheckpoint | undefined> {
		const head = await this.#newest(tenant);
		this.#unsigned.delete(tenant);
		return head.seq === 0 ? undefined : this.#sign(tenant, head);
	}

	/** Signs the chains that this process has extended since the last call. */
	async checkpointAll(): Promise<void> {
		// A copy, because a chain that goes on growing is here again as soon as it is signed.
		const grown = [...this.#unsigned];
		for (const tenant of grown) await this.checkpoint(tenant);
	}

	/** Returns the signed checkpoints of a tenant in their order, the oldest ones first. */
	async checkpoints(tenant: string, after: number, limit: number): Promise<string[]> {
		const range = { equals: [tenant], from: after };
		const { documents } = await this.#store.find(auditCheckpointCollection, "by_tenant", range, { limit });
		return documents.map(({ wire }) => wire);
	}

	/**
	 * Removes entries that are older than `days`, from the beginning of each chain. Before that it signs the last one
	 * removed, so that the rest can still be verified, and removes the checkpoints before it.
	 */
	async trim(days: number): Promise<void> {
		const to = now() - days * dayMs;
		for (;;) {
			const page = { limit: maxRemoved, columns: ["tenant"] } as const;
			const { documents } = await this.#store.find(auditLogCollection, "by_time", { equals: [], to }, page);
			let removed = 0;
			for (const tenant of new Set(documents.map((document) => document.tenant ?? "")))
				removed += await this.#trimChain(tenant, to);
			if (removed === 0) return;
		}
	}

	/** Removes the oldest entries of a chain up to this time, at most 500; returns their count. */
	async #trimChain(tenant: string, to: number): Promise<number> {
		const page = { limit: maxRemoved, columns: ["seq", "hash", "at"] } as const;
		const { documents } = await this.#store.find(auditLogCollection, "by_tenant", { equals: [tenant] }, page);
		const young = documents.findIndex(({ at = 0 }) => at > to);
		const old = young === -1 ? documents : documents.slice(0, young);
		const last = old.at(-1);
		if (!last) return 0;
		await this.#sign(tenant, { seq: last.seq ?? 0, hash: last.hash ?? "" });
		await this.#store.removeMany(
			auditLogCollection,
			old.map(({ id }) => id),
		);
		await this.#removeCheckpoints(tenant, (last.seq ?? 0) - 1);
		return old.length;
	}

	/** Removes the checkpoints of entries that are no longer kept: an export begins with the one that continues. */
	async #removeCheckpoints(tenant: string, to: number): Promise<void> {
		await removeAll(this.#store, auditCheckpointCollection, "by_tenant", { equals: [tenant], to });
	}

	async #extend(tenant: string, drafts: readonly AuditDraft[]): Promise<void> {
		let remaining = drafts;
		let head = this.#heads.get(tenant) ?? (await this.#newest(tenant));
		for (let races = 0; remaining.length > 0; races++) {
			if (races > maxRaces + drafts.length) throw tooFast("The audit log");
			const batch = remaining.slice(0, maxAppended);
			const documents = documentsBehind(head, batch);
			const { inserted, clash } = await this.#store.append(auditLogCollection, documents);
			const last = documents[inserted - 1];
			if (last) head = { seq: last.seq ?? 0, hash: last.hash ?? "" };
			remaining = remaining.slice(clash === "id" ? inserted + 1 : inserted);
			if (clash !== undefined) head = await this.#newest(tenant);
		}
		this.#heads.set(tenant, head);
		this.#unsigned.add(tenant);
	}

	async #newest(tenant: string): Promise<ChainHead> {
		const { documents } = await this.#store.find(
			auditLogCollection,
			"by_tenant",
			{ equals: [tenant] },
			{ limit: 1, descending: true, columns: ["seq", "hash"] },
		);
		const [newest] = documents;
		return newest ? { seq: newest.seq ?? 0, hash: newest.hash ?? "" } : this.#trimmedEnd(tenant);
	}

	/** Returns the place behind which a chain goes on whose entries were all removed. */
	async #trimmedEnd(tenant: string): Promise<ChainHead> {
		const page = { limit: 1, descending: true };
		const { documents } = await this.#store.find(auditCheckpointCollection, "by_tenant", { equals: [tenant] }, page);
		const [newest] = documents;
		if (!newest) return chainStart;
		const { seq, hash }: SignedCheckpoint = JSON.parse(newest.wire);
		return { seq, hash };
	}

	async #sign(tenant: string, { seq, hash }: ChainHead): Promise<SignedCheckpoint> {
		const id = JSON.stringify([tenant, seq]);
		const former = await this.#store.get(auditCheckpointCollection, id);
		if (former) return JSON.parse(former.wire);
		const signed = this.#signer.sign({ tenant, seq, hash, time: isoTime() });
		const document = { id, wire: JSON.stringify(signed), tenant, seq };
		await insertOnce(() => this.#store.insert(auditCheckpointCollection, document));
		return signed;
	}
}
