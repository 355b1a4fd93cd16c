/**
 * The repository of logins that wait for their callback. Only a digest of the state is stored, and a login is taken once:
 * whoever removes the document has it, in whichever process.
 */
import { bound } from "#shared/base/bounds.ts";
import { createHash, randomBytes } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { defineCollection, type Document } from "#shared/store/collection.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { removeFirst } from "#shared/store/remove-first.ts";
import type { Person } from "./oauth-definition.ts";

/** How long a login may take, in milliseconds (contract/behaviour.md, section 13). */
const loginMs = 300_000;
/** The most old logins that are removed at a time. */
const removedAtOnce = 200;

const stateForm = /^[\w-]{43}$/;

export const oauthStateCollection = defineCollection(
	"oauth_states",
	{
		tenant: "text",
		owner: "text",
		slug: "text",
		/** The digest of the mark of the browser that began the login; absent when it had none. */
		browser: "text",
		/** Milliseconds since 1970. */
		expires_at: "integer",
	},
	{
		by_person: { columns: ["tenant", "owner", "expires_at"] },
		by_tenant: { columns: ["tenant", "expires_at"] },
		by_end: { columns: ["expires_at"] },
	},
);

/** It can be taken once, within five minutes. */
export interface PendingLogin extends Person {
	readonly id: string;
	readonly slug: string;
	readonly browser?: string | undefined;
}

/** All logins that wait. */
export class OAuthStates {
	readonly #store: Documents;

	constructor(store: Documents) {
		this.#store = store;
	}

	/** Stores a login and returns its state. @throws {TooManyRequestsError} when too many of the tenant wait. */
	async begin({ tenant, owner }: Person, slug: string, browser: string | undefined): Promise<string> {
		const waiting = await this.#store.count(oauthStateCollection, "by_tenant", { equals: [tenant], from: now() });
		if (waiting >= bound.loginsOfTenant)
			throw new TooManyRequestsError("Too many logins of the tenant are under way", "OAUTH_LOGINS");
		const state = randomBytes(32).toString("base64url");
		const login = { tenant, owner, slug, expires_at: now() + loginMs, ...(browser !== undefined && { browser }) };
		await this.#store.insert(oauthStateCollection, { id: idOf(state), wire: "{}", ...login });
		failpoint("integrations.oauth-begun");
		await this.#trim(tenant, owner);
		return state;
	}

	/** Returns the login of a state; undefined for an unknown, a used and an old one. */
	async find(state: string): Promise<PendingLogin | undefined> {
		if (!stateForm.test(state)) return undefined;
		const document = await this.#store.get(oauthStateCollection, idOf(state));
		return document && (document.expires_at ?? 0) > now() ? loginIn(document) : undefined;
	}

	/** Takes the login; false when somebody else has taken it. */
	take({ id }: PendingLogin): Promise<boolean> {
		return this.#store.remove(oauthStateCollection, id, {});
	}

	/** Removes logins that nobody ended in time. */
	async removeOld(): Promise<void> {
		await removeFirst(this.#store, oauthStateCollection, "by_end", { equals: [], to: now(), limit: removedAtOnce });
	}

	/** Removes the oldest logins beyond the bound, so that nobody locks himself out. */
	async #trim(tenant: string, owner: string): Promise<void> {
		const page = { limit: removedAtOnce, descending: true, columns: [] };
		const own = { equals: [tenant, owner] };
		const { documents } = await this.#store.find(oauthStateCollection, "by_person", own, page);
		const surplus = documents.slice(bound.logins).map(({ id }) => id);
		if (surplus.length > 0) await this.#store.removeMany(oauthStateCollection, surplus);
	}
}

function idOf(state: string): string {
	return createHash("sha256").update(state).digest("hex");
}

function loginIn(document: Document<(typeof oauthStateCollection)["columns"]>): PendingLogin {
	const { id, tenant = "", owner = "", slug = "", browser } = document;
	return { id, tenant, owner, slug, browser };
}
