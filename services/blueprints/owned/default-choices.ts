/** The repository of defaults: which blueprint of a group its owner uses unless another one is named. */
import { bound } from "#shared/base/bounds.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { type DefaultChoice, defaultChoiceCollection } from "./blueprint-collection.ts";

/** The most groups of a kind that have a default, per person. */

/** The defaults of one person by group. */
export class Defaults {
	readonly #groups: ReadonlyMap<string, DefaultChoice>;

	constructor(groups: ReadonlyMap<string, DefaultChoice>) {
		this.#groups = groups;
	}

	get ids(): string[] {
		return [...this.#groups.values()].map(({ id }) => id);
	}

	/** Returns the id of a group's default; undefined when it has none. */
	of(group: string): string | undefined {
		return this.#groups.get(group)?.id;
	}

	without(id: string): Map<string, DefaultChoice> {
		return new Map([...this.#groups].filter(([, choice]) => choice.id !== id));
	}

	/**
	 * Returns the defaults with this one in the group, and in no other one. @throws {ConflictError} for more groups than a
	 * person may have.
	 */
	with(group: string, choice: DefaultChoice): Map<string, DefaultChoice> {
		const chosen = this.without(choice.id).set(group, choice);
		if (chosen.size <= bound.defaults) return chosen;
		throw new ConflictError(`No more than ${bound.defaults} groups may have a default`, "TOO_MANY_DEFAULTS");
	}

	/** Whether a choice of the group is newer. */
	isNewer(group: string, at: number): boolean {
		return (this.#groups.get(group)?.at ?? 0) > at;
	}
}

/** The defaults of one kind of blueprints, of all persons. */
export class DefaultChoices {
	readonly #kind: string;
	readonly #records: ResourcesIn<typeof defaultChoiceCollection>;

	constructor(store: Documents, kind: string) {
		this.#kind = kind;
		const written = () => failpoint("blueprints.default-written");
		this.#records = new ResourceRecords(store, { collection: defaultChoiceCollection, noun: "Default", written });
	}

	async read(owner: Owner): Promise<Defaults> {
		return this.#defaultsOf(await this.#records.stored(this.#idOf(owner)));
	}

	/**
	 * Makes a blueprint the default of its group and of no other one.
	 * @param unlessNewer Whether to leave a default that was chosen after `choice.at`.
	 * @throws {ConflictError} for more groups than a person may have; {UnavailableError} after 50 lost races.
	 */
	async choose(owner: Owner, group: string, choice: DefaultChoice, unlessNewer = false): Promise<void> {
		await this.#change(owner, (defaults) => {
			if (unlessNewer && defaults.isNewer(group, choice.at)) return undefined;
			return defaults.with(group, choice);
		});
	}

	/** Makes the choice of a blueprint, if it is chosen now, the one of its present group. @throws as {@link choose} does. */
	async follow(owner: Owner, group: string, choice: DefaultChoice): Promise<void> {
		await this.#change(owner, (defaults) => {
			const isElsewhere = defaults.ids.includes(choice.id) && defaults.of(group) !== choice.id;
			return isElsewhere ? defaults.with(group, choice) : undefined;
		});
	}

	/** Ends the choice of a blueprint. @throws {UnavailableError} after 50 lost races. */
	async release(owner: Owner, id: string): Promise<void> {
		await this.#change(owner, (defaults) => (defaults.ids.includes(id) ? defaults.without(id) : undefined));
	}

	async #change(owner: Owner, decide: (defaults: Defaults) => Map<string, DefaultChoice> | undefined): Promise<void> {
		await this.#records.put(this.#idOf(owner), (document) => {
			const chosen = decide(this.#defaultsOf(document));
			return chosen && { wire: JSON.stringify([...chosen]) };
		});
	}

	#defaultsOf(document: { readonly wire: string } | undefined): Defaults {
		const groups: [string, DefaultChoice][] = document ? JSON.parse(document.wire) : [];
		return new Defaults(new Map(groups));
	}

	/** Returns the id: a JSON list, because names of tenants and users may have any characters. */
	#idOf({ tenant, id }: Owner): string {
		return JSON.stringify([this.#kind, tenant, id]);
	}
}
