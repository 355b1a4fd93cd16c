/**
 * The repository of profiles and presets. Every method takes their owner first: those of others do not exist for the
 * owner (decision 0039).
 */
import { isoTime, now } from "#shared/base/clock.ts";
import { ConflictError, NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import { type DocumentStore, DuplicateKeyError } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import type { BlueprintDocument } from "./blueprint-collection.ts";
import { type BlueprintKind, type OwnedBlueprint, shownText, storedText } from "./blueprint-kind.ts";
import { DefaultChoices, type Defaults, type Owner } from "./default-choices.ts";

/** A new blueprint: the request, and how the blueprint follows from it. */
export interface NewBlueprint<B> {
	readonly request: object;
	readonly make: (id: string, at: string) => B;
	/** The client's `Idempotency-Key`. */
	readonly key?: string | undefined;
}

const maxNames = 20;

/** The blueprints of one kind. */
export class OwnedRecords<B extends OwnedBlueprint> {
	readonly #store: DocumentStore;
	readonly #kind: BlueprintKind<B>;
	readonly #defaults: DefaultChoices;

	constructor(store: DocumentStore, kind: BlueprintKind<B>) {
		this.#store = store;
		this.#kind = kind;
		this.#defaults = new DefaultChoices(store, kind.noun);
	}

	/** Returns one as text. @param which Its name or id, as requests name this kind. @throws {NotFoundError} */
	async text(owner: Owner, which: string): Promise<string> {
		const document = await this.find(owner, which);
		if (!document) throw this.#notFound(which);
		return this.#shown(document, await this.#defaults.read(owner));
	}

	/** Returns the one that is named, or the default one of a group; undefined when there is none. */
	async launched(owner: Owner, which: string | undefined, group: string): Promise<B | undefined> {
		if (which !== undefined) return blueprintOf(await this.find(owner, which));
		const id = (await this.#defaults.read(owner)).of(group);
		const document = id === undefined ? undefined : await this.#owned(owner, id);
		return document?.grouping === group ? blueprintOf(document) : undefined;
	}

	/** Returns the first names of an owner, at most 20, for sentences about an unknown one. */
	async names({ tenant, id: owner }: Owner): Promise<string[]> {
		const range = { equals: [tenant, owner] };
		const { documents } = await this.#store.find(this.#kind.collection, "by_name", range, { limit: maxNames });
		return documents.map(({ name = "" }) => name);
	}

	/**
	 * Stores a new one and returns its text. A repeated request with the same key returns the one that the first request
	 * created.
	 * @throws {ConflictError} when the name is taken; {UnprocessableError} for a key that was used for another request;
	 * {UnavailableError} when others change the default too fast.
	 */
	async create(owner: Owner, { request, make, key }: NewBlueprint<B>): Promise<string> {
		const { noun, collection } = this.#kind;
		const at = now();
		const id = key === undefined ? timeBasedUuid(at) : nameBasedUuid(noun, owner.tenant, owner.id, key);
		const blueprint = make(id, isoTime(at));
		this.#refuse(blueprint, id, await this.#defaults.read(owner));
		const fingerprint = fingerprintOf(request);
		const columns = {
			...this.#columnsOf(blueprint, at),
			tenant: owner.tenant,
			owner: owner.id,
			created_at: at,
			// One that is made again by the key of a deleted one has another revision, and so do lists have another tag.
			rev: at,
		};
		const document = { id, ...columns, ...(key !== undefined && { fingerprint }) };
		const isFirst = await insertOnce(() => this.#store.insert(collection, document));
		const stored = isFirst ? document : await this.#createdBefore(owner, document, fingerprint);
		failpoint("blueprints.written");
		if (blueprint.is_default) {
			// A repetition finishes what a kill interrupted, and leaves what was chosen since.
			const choice = { id, at: stored.created_at ?? at };
			await this.#defaults.choose(owner, stored.grouping ?? "", choice, !isFirst);
		}
		return this.#shown(stored, await this.#defaults.read(owner));
	}

	/**
	 * Changes one and returns its text. Concurrent changes of different members all remain.
	 * @param decide Returns it after the change. @throws {NotFoundError}; {ConflictError} when the new name is taken;
	 * {UnavailableError} when others change it too fast.
	 */
	async change(owner: Owner, which: string, decide: (blueprint: B, at: string) => B): Promise<string> {
		const at = now();
		const defaults = await this.#defaults.read(owner);
		const changed = await compareAndSet({
			what: `The ${this.#kind.noun.toLowerCase()}`,
			read: async () => {
				const document = await this.find(owner, which);
				if (!document) throw this.#notFound(which);
				return document;
			},
			decide: (document) => {
				// A change that was killed may have left the choice in the group that the blueprint had before.
				const is_default = defaults.ids.includes(document.id);
				const blueprint = decide({ ...blueprintOf(document), is_default }, isoTime(at));
				this.#refuse(blueprint, document.id, defaults);
				return blueprint;
			},
			write: ({ id, rev = 0 }, blueprint) => this.#write(id, rev, blueprint, at),
		});
		if (changed === undefined) throw this.#notFound(which);
		const { decision, written } = changed;
		failpoint("blueprints.written");
		await this.#chooseAgain(owner, written, { was: defaults.ids.includes(written.id), is: decision.is_default }, at);
		return this.#shown(written, await this.#defaults.read(owner));
	}

	/** Writes the default after a change. A change that leaves it alone does not undo what others choose meanwhile. */
	async #chooseAgain(
		owner: Owner,
		{ id, grouping = "" }: BlueprintDocument,
		{ was, is }: { readonly was: boolean; readonly is: boolean },
		at: number,
	): Promise<void> {
		if (is && was) await this.#defaults.follow(owner, grouping, { id, at });
		else if (is) await this.#defaults.choose(owner, grouping, { id, at });
		else if (was) await this.#defaults.release(owner, id);
	}

	/** Deletes one. @throws {NotFoundError} */
	async delete(owner: Owner, which: string): Promise<void> {
		const document = await this.find(owner, which);
		const guard = { equals: { tenant: owner.tenant, owner: owner.id } };
		if (!document || !(await this.#store.remove(this.#kind.collection, document.id, guard)))
			throw this.#notFound(which);
		failpoint("blueprints.written");
		await this.#defaults.release(owner, document.id);
	}

	/** Returns the document; undefined when the owner has none. @param which Its name or id. */
	async find(owner: Owner, which: string): Promise<BlueprintDocument | undefined> {
		if (this.#kind.key === "id") return this.#owned(owner, which);
		const range = { equals: [owner.tenant, owner.id, which] };
		return (await this.#store.find(this.#kind.collection, "by_name", range, { limit: 1 })).documents[0];
	}

	async #owned({ tenant, id: person }: Owner, id: string): Promise<BlueprintDocument | undefined> {
		const document = await this.#store.get(this.#kind.collection, id);
		return document?.tenant === tenant && document.owner === person ? document : undefined;
	}

	/** Refuses what cannot be stored before anything is. @throws what the kind throws; {ConflictError} for too many defaults. */
	#refuse(blueprint: B, id: string, defaults: Defaults): void {
		this.#kind.refuse?.(blueprint);
		if (blueprint.is_default) defaults.with(this.#kind.groupOf(blueprint), { id, at: 0 });
	}

	/** Returns what a request with the same key created. @throws {ConflictError}; {UnprocessableError} */
	async #createdBefore(owner: Owner, { id, name }: BlueprintDocument, fingerprint: string): Promise<BlueprintDocument> {
		const first = await this.#owned(owner, id);
		if (!first) throw this.#taken(name);
		refuseOtherRequest(first.fingerprint, fingerprint);
		return first;
	}

	async #write(id: string, rev: number, blueprint: B, at: number): Promise<BlueprintDocument | undefined> {
		const { wire, ...columns } = this.#columnsOf(blueprint, at);
		const change = { wire, set: { ...columns, rev: rev + 1 } };
		try {
			return await this.#store.update(this.#kind.collection, id, { equals: { rev } }, change);
		} catch (error) {
			if (error instanceof DuplicateKeyError) throw this.#taken(blueprint.name);
			throw error;
		}
	}

	#columnsOf(blueprint: B, at: number) {
		const grouping = this.#kind.groupOf(blueprint);
		return { wire: storedText(blueprint), name: blueprint.name, grouping, updated_at: isoTime(at) };
	}

	#shown({ id, wire, grouping = "" }: BlueprintDocument, defaults: Defaults): string {
		return shownText(wire, defaults.of(grouping) === id);
	}

	#taken(name = ""): ConflictError {
		const { noun } = this.#kind;
		return new ConflictError(`The name "${name}" is taken by another ${noun.toLowerCase()}`, "NAME_TAKEN");
	}

	#notFound(which: string): NotFoundError {
		const { noun } = this.#kind;
		return new NotFoundError(`${noun} "${which}" does not exist`, `${noun.toUpperCase()}_NOT_FOUND`);
	}
}

function blueprintOf<B>(document: BlueprintDocument): B;
function blueprintOf<B>(document: BlueprintDocument | undefined): B | undefined;
function blueprintOf<B>(document: BlueprintDocument | undefined): B | undefined {
	return document && JSON.parse(document.wire);
}
