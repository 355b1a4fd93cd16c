/**
 * The repository of personal access tokens. Methods for persons take the principal first: tokens of others do not exist
 * for the principal. A token that has no document here is refused, whoever has signed it.
 */
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { ActiveToken, PersonalToken, TokenScope } from "#shared/contracts/pat/tokens.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { digestOf } from "#shared/base/tokens/token-key.ts";
import { tokenCollection, type TokenDocument } from "./token-collection.ts";

/** A token that was issued and is not stored yet. */
export interface NewToken {
	readonly id: string;
	readonly name: string;
	readonly scope: TokenScope;
	readonly text: string;
	readonly key: string;
	/** Milliseconds since 1970. */
	readonly expiresAt: number;
}

/** The tokens that one pass removes. */
const batch = 500;

export class TokenRecords {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof tokenCollection, Principal>;

	constructor(store: Documents, maxPerUser: number) {
		const refusal = () => new ConflictError(`A user has at most ${maxPerUser} tokens: revoke one first`, "TOKEN_LIMIT");
		this.#store = store;
		this.#records = new ResourceRecords(store, {
			collection: tokenCollection,
			noun: "Token",
			isAllowed: ({ tenant, id, epoch }: Principal, _action, token) =>
				token.owner === id && (epoch !== undefined || token.tenant === tenant),
			quota: { index: "by_owner", most: maxPerUser, refusal },
			written: () => failpoint("tokens.written"),
		});
	}

	/**
	 * Refuses a new token before it is issued, because nobody could revoke it at its issuer. @throws {ConflictError} when
	 * its name or its id is taken, and when the person has too many.
	 */
	async refuseNew(principal: Principal, { id, name }: Pick<NewToken, "id" | "name">): Promise<void> {
		if (await this.#store.get(tokenCollection, id, [])) throw shownAlready();
		const equals = [principal.tenant, principal.id, name];
		if ((await this.#store.count(tokenCollection, "by_name", { equals })) > 0)
			throw new ConflictError(`There is a token "${name}" already`, "TOKEN_EXISTS");
		await this.#records.refuseBeyondQuota(principal, 1);
	}

	/** Stores a token; from then on it is active. @throws {ConflictError} as {@link refuseNew}, for what happened meanwhile. */
	async add(principal: Principal, token: NewToken): Promise<Omit<PersonalToken, "last_used_at">> {
		const { tenant, id: owner, epoch = 0 } = principal;
		const { id, name, scope, text, key, expiresAt } = token;
		const created_at = isoTime();
		const shown = { id, name, created_at, expires_at: isoTime(expiresAt), scope };
		const wire: PersonalToken = { ...shown, last_used_at: null };
		const held = { tenant, owner, name, key, digest: digestOf(text), scope };
		const columns = { ...held, created_at, expires_at: expiresAt, epoch, rev: 1 };
		failpoint("tokens.issued");
		const document = { id, wire: JSON.stringify(wire), ...columns };
		if (!(await this.#records.insert(document))) {
			await this.refuseNew(principal, token);
			throw shownAlready();
		}
		await this.#records.keepQuota(principal, document);
		return shown;
	}

	/** Returns a page of the person's tokens, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list(principal: Principal, page: PageRequest): Promise<StoredPage> {
		return this.#records.list(tokensOf(principal), page);
	}

	/** Revokes a token; returns its key. @throws {NotFoundError} */
	async revoke(principal: Principal, id: string): Promise<string> {
		const token = await this.#records.get(principal, id);
		if (!(await this.#records.remove(token))) throw this.#records.notFound(id);
		return token.key ?? "";
	}

	/** Revokes all tokens of the person; returns their keys. */
	async revokeAll(principal: Principal): Promise<string[]> {
		const { index, equals } = tokensOf(principal);
		const keys: string[] = [];
		for (;;) {
			const page = { limit: batch, columns: ["tenant", "owner", "key"] } as const;
			const { documents } = await this.#store.find(tokenCollection, index, { equals }, page);
			// One by one, because each removal is entered in the audit log.
			for (const document of documents) {
				await this.#records.remove(document);
				keys.push(document.key ?? "");
			}
			if (documents.length < batch) return keys;
		}
	}

	/** Returns the token with this key; undefined when it is not active. */
	async active(key: string): Promise<ActiveToken | undefined> {
		const found = await this.#records.first({ index: "by_key", equals: [key] });
		return found && (found.expires_at ?? 0) > now() ? activeToken(found) : undefined;
	}

	/** Stores when a token was used last; does nothing for one that was revoked, and for an older time. */
	async markUsed(id: string, at: number): Promise<void> {
		const last_used_at = isoTime(at);
		await this.#records.changeOf(id, ({ wire }) => {
			const token: PersonalToken = JSON.parse(wire);
			if ((token.last_used_at ?? "") >= last_used_at) return undefined;
			return { wire: JSON.stringify({ ...token, last_used_at }) };
		});
	}

	/** Removes some of the tokens that have expired, the oldest first; resolves to their count. */
	sweep(): Promise<number> {
		return this.#records.removeFirst("by_expiry", { equals: [], to: now(), limit: batch });
	}
}

/**
 * Finds the tokens of a person: of somebody whom a provider knows those of all tenants, so that none outlives a move; a
 * person of the configuration is one in each tenant.
 */
function tokensOf({ tenant, id, epoch }: Principal) {
	if (epoch !== undefined) return { index: "by_person", equals: [id] } as const;
	return { index: "by_owner", equals: [tenant, id] } as const;
}

function activeToken({
	id,
	tenant = "",
	owner = "",
	scope = "read",
	expires_at = 0,
	epoch = 0,
}: TokenDocument): ActiveToken {
	return { id, tenant, owner, scope: scope as TokenScope, expires_at, epoch };
}

function shownAlready(): ConflictError {
	const sentence =
		"This request was answered already, and a token is shown only once: revoke it and create another one";
	return new ConflictError(sentence, "TOKEN_SHOWN");
}
