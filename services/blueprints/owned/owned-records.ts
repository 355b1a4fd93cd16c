/**
 * The repository of profiles and presets. Every method takes their owner first: those of others do not exist for the
 * owner (decision 0039).
 */
import { isoTime, now } from "#shared/base/clock.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { readPage, type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import { isOwnedBy, type KeyedRequest } from "#shared/store/resource-kind.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import type { BlueprintCollection, BlueprintDocument } from "./blueprint-collection.ts";
import { type BlueprintKind, type OwnedBlueprint, shownText, storedText } from "./blueprint-kind.ts";
import { DefaultChoices, type Defaults } from "./default-choices.ts";
import { filtered, shownList } from "./shown-defaults.ts";

/** A new blueprint: the request, and how the blueprint follows from it. */
interface NewBlueprint<B> extends KeyedRequest {
	readonly make: (id: string, at: string) => B;
}

export interface OwnedQuery extends PageRequest {
	readonly group?: string | undefined;
	/** Leaves only the defaults, or only the others. */
	readonly isDefault?: boolean | undefined;
}

const maxNames = 20;

export class OwnedRecords<B extends OwnedBlueprint> {
	readonly #store: Documents;
	readonly #kind: BlueprintKind<B>;
	readonly #defaults: DefaultChoices;
	readonly #records: ResourcesIn<BlueprintCollection>;

	constructor(store: Documents, kind: BlueprintKind<B>) {
		const { noun, collection } = kind;
		this.#store = store;
		this.#kind = kind;
		this.#records = new ResourceRecords(store, {
			collection,
			noun,
			isAllowed: isOwnedBy,
			taken: ({ name = "" }) =>
				new ConflictError(`The name "${name}" is taken by another ${noun.toLowerCase()}`, "NAME_TAKEN"),
			written: () => failpoint("blueprints.written"),
		});
		this.#defaults = new DefaultChoices(store, kind.noun);
	}

	/** Returns one as text. @param which Its name or id, as requests name this kind. @throws {NotFoundError} */
	async text(owner: Owner, which: string): Promise<string> {
		const document = await this.find(owner, which);
		if (!document) throw this.#records.notFound(which);
		return this.#shown(document, await this.#defaults.read(owner));
	}

	/** Returns the one that is named, or the default one of a group; undefined when there is none. */
	async launched(owner: Owner, which: string | undefined, group: string): Promise<B | undefined> {
		if (which !== undefined) return blueprintOf(await this.find(owner, which));
		const id = (await this.#defaults.read(owner)).of(group);
		const document = id === undefined ? undefined : await this.#records.find(owner, id);
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
	async create(owner: Owner, { make, ...keyed }: NewBlueprint<B>): Promise<string> {
		const defaults = await this.#defaults.read(owner);
		let isDefault = false;
		const { document, isFirst } = await this.#records.create(owner, keyed, (id, at) => {
			const blueprint = make(id, isoTime(at));
			isDefault = blueprint.is_default;
			const { wire, set } = this.#written(blueprint, { id, at, defaults });
			return { wire, set: { ...set, created_at: at } };
		});
		if (isDefault) {
			// A repetition finishes what a kill interrupted, and leaves what was chosen since.
			const { id, grouping = "", created_at = 0 } = document;
			await this.#defaults.choose(owner, grouping, { id, at: created_at }, !isFirst);
		}
		return this.#shown(document, await this.#defaults.read(owner));
	}

	/**
	 * Changes one and returns its text.
	 * @param decide Returns it after the change. @throws {NotFoundError}; {ConflictError} when the new name is taken.
	 */
	async change(owner: Owner, which: string, decide: (blueprint: B, at: string) => B): Promise<string> {
		const at = now();
		const defaults = await this.#defaults.read(owner);
		let is = false;
		const written = await this.#records.change(
			async () => {
				const document = await this.find(owner, which);
				if (!document) throw this.#records.notFound(which);
				return document;
			},
			(document) => {
				// A change that was killed may have left the choice in the group that the blueprint had before.
				const is_default = defaults.ids.includes(document.id);
				const blueprint = decide({ ...blueprintOf<B>(document), is_default }, isoTime(at));
				is = blueprint.is_default;
				return this.#written(blueprint, { id: document.id, at, defaults });
			},
		);
		await this.#chooseAgain(owner, written, { was: defaults.ids.includes(written.id), is }, at);
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
		if (!document || !(await this.#records.remove(document))) throw this.#records.notFound(which);
		await this.#defaults.release(owner, document.id);
	}

	/**
	 * Returns a page: profiles are sorted by name; of presets, the last updated one comes first. @throws {BadRequestError} for a
	 * cursor that is not ours.
	 */
	async list(owner: Owner, { group, isDefault, ...page }: OwnedQuery): Promise<StoredPage> {
		const { tenant, id } = owner;
		const range =
			group === undefined
				? ({ index: "listed", equals: [tenant, id] } as const)
				: ({ index: "grouped", equals: [tenant, id, group] } as const);
		const stored = this.#records.pages({ ...range, descending: this.#kind.key === "id" }, page, ["rev", "grouping"]);
		const list = shownList(stored, await this.#defaults.read(owner));
		if (isDefault === undefined) return storedPage(list, page.limit, page.known).catch(refuseCursor);
		return readPage(filtered(await list.page().catch(refuseCursor), isDefault), page.known);
	}

	/** Returns the document; undefined when the owner has none. @param which Its name or id. */
	async find(owner: Owner, which: string): Promise<BlueprintDocument | undefined> {
		if (this.#kind.key === "id") return this.#records.find(owner, which);
		return this.#records.first({ index: "by_name", equals: [owner.tenant, owner.id, which] });
	}

	/**
	 * Returns a blueprint as it is written. @throws what the kind throws for one that cannot be stored; {ConflictError} for too
	 * many defaults.
	 */
	#written(blueprint: B, { id, at, defaults }: { id: string; at: number; defaults: Defaults }) {
		const grouping = this.#kind.groupOf(blueprint);
		this.#kind.refuse?.(blueprint);
		if (blueprint.is_default) defaults.with(grouping, { id, at: 0 });
		return { wire: storedText(blueprint), set: { name: blueprint.name, grouping, updated_at: isoTime(at) } };
	}

	#shown({ id, wire, grouping = "" }: BlueprintDocument, defaults: Defaults): string {
		return shownText(wire, defaults.of(grouping) === id);
	}
}

function blueprintOf<B>(document: BlueprintDocument): B;
function blueprintOf<B>(document: BlueprintDocument | undefined): B | undefined;
function blueprintOf<B>(document: BlueprintDocument | undefined): B | undefined {
	return document && JSON.parse(document.wire);
}
