/** The repository of users. A user is written with the first request of a person, and when the provider's words change. */
import { isoTime } from "#shared/base/clock.ts";
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import type { User } from "#shared/contracts/identity/users.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { userCollection, type UserDocument } from "./user-collection.ts";

/** A person after a word of the provider was noted. */
interface HeardPerson {
	/** Whether no newer word is known. */
	readonly isNewest: boolean;
	/** The tenant of requests that name none; absent: none was noted. */
	readonly actsIn: string | undefined;
}

/** The users of the installation. Who may see which of them is decided by the directory. */
export class UserRecords {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof userCollection>;

	constructor(store: Documents) {
		this.#store = store;
		const written = () => failpoint("users.written");
		this.#records = new ResourceRecords(store, { collection: userCollection, noun: "User", written });
	}

	get(id: string): Promise<UserDocument | undefined> {
		return this.#store.get(userCollection, id);
	}

	/** Returns the user with this id, who becomes one now if need be. */
	async ensure(id: string): Promise<User> {
		return JSON.parse(((await this.get(id)) ?? (await this.#insert({ id }))).wire);
	}

	/** Notes what the provider says about a person, who becomes a user now if need be. An older word changes nothing. */
	async hear(person: IdentifiedPerson): Promise<HeardPerson> {
		const stored = (await this.get(person.id)) ?? (await this.#insert(person));
		const isNews = changeBy(stored, person) !== undefined;
		const changed = isNews ? await this.#records.changeOf(person.id, (user) => changeBy(user, person)) : undefined;
		const newest = changed ?? stored;
		return { isNewest: !isOutdated(newest, person), actsIn: newest.acts_in };
	}

	/** Notes in which tenant a person acts whose requests name none. Clients do not see that, so it is no new revision. */
	async keepTenant(id: string, tenant: string): Promise<void> {
		await this.#store.update(userCollection, id, {}, { set: { acts_in: tenant } });
	}

	/** Returns a page of all users, newest first. */
	page(page: PageRequest) {
		return this.#records.pages({ index: "by_age", equals: ["user"] }, page).page();
	}

	async #insert({ id, email = "", name, as_of }: IdentifiedPerson): Promise<UserDocument> {
		const created_at = isoTime();
		const user: User = {
			id,
			email,
			display_name: displayName(id, email, name),
			status: "active",
			home_pvc: null,
			created_at,
		};
		const heard = as_of === undefined ? {} : { word_at: as_of };
		const document = { id, wire: JSON.stringify(user), kind: "user", created_at, ...heard, rev: 1 };
		return (await this.#records.insert(document)) ? document : ((await this.get(id)) ?? document);
	}
}

/** Whether a newer word of the provider is known. Words without a time arrive in their order. */
function isOutdated({ word_at = 0 }: UserDocument, { as_of }: IdentifiedPerson): boolean {
	return as_of !== undefined && as_of < word_at;
}

/** Returns what the word of a provider changes; undefined for nothing. */
function changeBy(document: UserDocument, person: IdentifiedPerson) {
	const { as_of } = person;
	const user: User = JSON.parse(document.wire);
	const isNews = as_of !== undefined && as_of > (document.word_at ?? 0);
	if (isOutdated(document, person) || (!isNews && isDescribed(user, person))) return undefined;
	const wire = JSON.stringify(isDescribed(user, person) ? user : described(user, person));
	return { wire, set: isNews ? { word_at: as_of } : {} };
}

/** Whether the stored user says what the provider says; what it does not mention stays. */
function isDescribed({ email, display_name }: User, { email: given, name }: IdentifiedPerson): boolean {
	return (given === undefined || given === email) && (name === undefined || name === display_name);
}

function described(user: User, { email = user.email, name }: IdentifiedPerson): User {
	return { ...user, email, display_name: name ?? displayName(user.id, email, undefined) };
}

/** Returns the name to show: the given one, else the address before its last @, else the id. */
function displayName(id: string, email: string, name: string | undefined): string {
	if (name !== undefined && name !== "") return name;
	const at = email.lastIndexOf("@");
	return at > 0 ? email.slice(0, at) : id;
}
