/** The repository of users. A user is written with the first request of a person, and when the provider's words change. */
import { isoTime } from "#shared/clock.ts";
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import type { User } from "#shared/contracts/identity/users.ts";
import { failpoint } from "#shared/failpoints.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { DocumentStore, Found } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { userCollection, type UserDocument } from "./user-collection.ts";

/** The users of the installation. Who may see which of them is decided by the directory. */
export class UserRecords {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	get(id: string): Promise<UserDocument | undefined> {
		return this.#store.get(userCollection, id);
	}

	/** Returns the user of a person, who becomes one now if need be. */
	async ensure(person: IdentifiedPerson): Promise<User> {
		const stored = (await this.get(person.id)) ?? (await this.#insert(person));
		const user: User = JSON.parse(stored.wire);
		return isDescribed(user, person) ? user : this.#describe(person);
	}

	/** Returns a page of all users, newest first. */
	page(limit: number, after: string | undefined, maxBytes: number): Promise<Found<(typeof userCollection)["columns"]>> {
		const page = { limit, descending: true, maxBytes, ...(after !== undefined && { after }) };
		return this.#store.find(userCollection, "by_age", { equals: ["user"] }, page);
	}

	async #insert({ id, email = "", name }: IdentifiedPerson): Promise<UserDocument> {
		const created_at = isoTime();
		const user: User = {
			id,
			email,
			display_name: displayName(id, email, name),
			status: "active",
			home_pvc: null,
			created_at,
		};
		const document = { id, wire: JSON.stringify(user), kind: "user", created_at, rev: 1 };
		if (!(await insertOnce(() => this.#store.insert(userCollection, document))))
			return (await this.get(id)) ?? document;
		failpoint("users.written");
		return document;
	}

	/** Writes what the provider says about a person now. */
	async #describe(person: IdentifiedPerson): Promise<User> {
		const written = await compareAndSet({
			what: "The user",
			read: () => this.get(person.id),
			decide: (document) => {
				const user: User | undefined = document && JSON.parse(document.wire);
				return user && !isDescribed(user, person) ? described(user, person) : undefined;
			},
			write: (document, user) => {
				const { rev = 0 } = document ?? {};
				const change = { wire: JSON.stringify(user), set: { rev: rev + 1 } };
				return this.#store.update(userCollection, person.id, { equals: { rev } }, change);
			},
		});
		failpoint("users.written");
		const wire = written?.written.wire ?? (await this.get(person.id))?.wire;
		return JSON.parse(wire ?? "{}");
	}
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
