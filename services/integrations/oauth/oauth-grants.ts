/**
 * The repository of grants: that a person has connected an integration by a login, and when its token has to be
 * replaced. The tokens themselves are a credential. Whoever changes the tokens holds the grant for a while, so that two
 * processes never use one refresh token.
 */
import { now } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { defineCollection, type Document } from "#shared/store/collection.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import type { Person } from "./oauth-definition.ts";

/** How long a grant is held, in milliseconds: longer than the requests and writes of its holder together. */
const holdMs = 30_000;

/** The most grants of a person that are looked after; a catalogue has about ten integrations with logins. */
const maxGrants = 100;

export const oauthGrantCollection = defineCollection(
	"oauth_grants",
	{
		tenant: "text",
		owner: "text",
		slug: "text",
		rev: "integer",
		/** The times in milliseconds since 1970; absent: the token has no known end. */
		due_at: "integer",
		expires_at: "integer",
		/** Nobody else changes the tokens until then. */
		held_until: "integer",
		/** Why the token cannot be replaced any more; absent: it can. */
		problem: "text",
	},
	{ by_person: { columns: ["tenant", "owner", "slug"] } },
);

type GrantDocument = Document<(typeof oauthGrantCollection)["columns"]>;

/** The connection of one person by a login; at most one process holds it at a time. */
export interface Grant extends Person {
	readonly id: string;
	readonly slug: string;
	readonly rev: number;
	readonly due_at?: number | undefined;
	readonly expires_at?: number | undefined;
	readonly held_until: number;
	readonly problem?: string | undefined;
}

/** The end of a token's life; empty for one without a known end. */
export interface TokenLifetime {
	readonly due_at?: number;
	readonly expires_at?: number;
}

export class OAuthGrants {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof oauthGrantCollection>;

	constructor(store: Documents) {
		this.#store = store;
		this.#records = new ResourceRecords(store, { collection: oauthGrantCollection, noun: "Grant" });
	}

	async get(person: Person, slug: string): Promise<Grant | undefined> {
		const document = await this.#store.get(oauthGrantCollection, grantId(person, slug));
		return document && grantIn(document);
	}

	async of({ tenant, owner }: Person): Promise<Grant[]> {
		const { documents } = await this.#store.find(
			oauthGrantCollection,
			"by_person",
			{ equals: [tenant, owner] },
			{ limit: maxGrants },
		);
		return documents.map(grantIn);
	}

	/** Holds an existing grant as it was read; undefined when it has changed since. */
	async hold(grant: Grant): Promise<Grant | undefined> {
		const held = await this.#records.write(grant, { set: { held_until: now() + holdMs } });
		return held && grantIn(held);
	}

	/**
	 * Holds the grant, and makes one that is held when there is none.
	 * @throws {UnavailableError} when somebody else holds it.
	 */
	async holdNew(person: Person, slug: string): Promise<Grant> {
		return repeatLostRaces(
			async () => {
				const found = await this.get(person, slug);
				if (!found) return this.#insert(person, slug);
				if (found.held_until > now()) throw heldByAnother(slug);
				return this.hold(found);
			},
			{ refusal: () => heldByAnother(slug) },
		);
	}

	/** Stores the life of new tokens and lets the grant go; false when it is held by somebody else by now. */
	async renew(grant: Grant, life: TokenLifetime): Promise<boolean> {
		const gone = (["due_at", "expires_at", "problem", "held_until"] as const).filter((column) => !(column in life));
		return (await this.#records.write(grant, { set: { ...life }, unset: gone })) !== undefined;
	}

	/** Stores why the token cannot be replaced any more, and lets the grant go. */
	async fail(grant: Grant, problem: string): Promise<void> {
		await this.#records.write(grant, { set: { problem }, unset: ["held_until"] });
	}

	/** Lets the grant go as it is, so that the work can be repeated at once. */
	async release(grant: Grant): Promise<void> {
		await this.#records.write(grant, { unset: ["held_until"] });
	}

	/** Removes the grant; nothing happens when somebody else holds it by now. */
	async remove({ id, rev }: Grant): Promise<void> {
		await this.#store.remove(oauthGrantCollection, id, { equals: { rev } });
	}

	async #insert(person: Person, slug: string): Promise<Grant | undefined> {
		const { tenant, owner } = person;
		const id = grantId(person, slug);
		const document = { id, wire: "{}", tenant, owner, slug, rev: 1, held_until: now() + holdMs };
		return (await this.#records.insert(document)) ? grantIn(document) : undefined;
	}
}

function grantId({ tenant, owner }: Person, slug: string): string {
	return nameBasedUuid("oauth-grant", tenant, owner, slug);
}

function heldByAnother(slug: string): UnavailableError {
	return new UnavailableError(`The tokens of "${slug}" are being replaced at the moment, try again`, "OAUTH_BUSY");
}

function grantIn(document: GrantDocument): Grant {
	const { id, tenant = "", owner = "", slug = "", rev = 0, due_at, expires_at, held_until = 0, problem } = document;
	return { id, tenant, owner, slug, rev, due_at, expires_at, held_until, problem };
}
