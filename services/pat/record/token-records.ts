/**
 * The repository of personal access tokens. Methods for persons take the principal first: tokens of others do not exist
 * for the principal. A token that has no document here is refused, whoever has signed it.
 */
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { ActiveToken, PersonalToken, TokenScope } from "#shared/contracts/pat/tokens.ts";
import { ConflictError, NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import { type DocumentStore, DuplicateKeyError } from "#shared/store/document-store.ts";
import { type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
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

/** The page that a client asks for, and what it has already. */
interface TokenPage {
	readonly limit: number;
	readonly cursor?: string | undefined;
	readonly known?: string | undefined;
}

/** The tokens that one pass removes. */
const batch = 500;

/** The personal access tokens of the installation. */
export class TokenRecords {
	readonly #store: DocumentStore;
	readonly #maxPerUser: number;

	constructor(store: DocumentStore, maxPerUser: number) {
		this.#store = store;
		this.#maxPerUser = maxPerUser;
	}

	/**
	 * Refuses a new token before it is issued, because nobody could revoke it at its issuer. @throws {ConflictError} when
	 * its name or its id is taken, and when the person has too many.
	 */
	async refuseNew({ tenant, id: owner }: Principal, { id, name }: Pick<NewToken, "id" | "name">): Promise<void> {
		if (await this.#store.get(tokenCollection, id, [])) throw taken("id", name);
		if ((await this.#store.count(tokenCollection, "by_name", { equals: [tenant, owner, name] })) > 0)
			throw taken("by_name", name);
		if ((await this.#count(tenant, owner)) >= this.#maxPerUser) throw this.#tooMany();
	}

	/**
	 * Stores a token; from then on it is active. @throws {ConflictError} when its name or its id was taken meanwhile, and
	 * when tokens that were issued at the same moment are too many together.
	 */
	async add(
		{ tenant, id: owner, epoch = 0 }: Principal,
		token: NewToken,
	): Promise<Omit<PersonalToken, "last_used_at">> {
		const { id, name, scope, text, key, expiresAt } = token;
		const created_at = isoTime();
		const shown = { id, name, created_at, expires_at: isoTime(expiresAt), scope };
		const wire: PersonalToken = { ...shown, last_used_at: null };
		const columns = {
			tenant,
			owner,
			name,
			key,
			digest: digestOf(text),
			scope,
			created_at,
			expires_at: expiresAt,
			epoch,
			rev: 1,
		};
		failpoint("tokens.issued");
		try {
			await this.#store.insert(tokenCollection, { id, wire: JSON.stringify(wire), ...columns });
		} catch (error) {
			if (error instanceof DuplicateKeyError) throw taken(error.key, name);
			throw error;
		}
		failpoint("tokens.written");
		if ((await this.#count(tenant, owner)) > this.#maxPerUser) {
			await this.#store.remove(tokenCollection, id, { equals: { tenant, owner } });
			throw this.#tooMany();
		}
		return shown;
	}

	/** Returns a page of the person's tokens, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list(principal: Principal, { limit, cursor, known }: TokenPage): Promise<StoredPage> {
		const { index, range } = ownedBy(principal);
		const place = { descending: true, ...(cursor !== undefined && { after: cursor }) };
		const page = { limit, columns: ["rev", "created_at"], maxBytes: answerBytes, ...place } as const;
		const versions = { limit: limit + 1, column: "rev", ...place } as const;
		const list = {
			page: () => this.#store.find(tokenCollection, index, range, page),
			versions: () => this.#store.versions(tokenCollection, index, range, versions),
		};
		return storedPage(list, limit, known).catch(refuseCursor);
	}

	/** Revokes a token; returns its key. @throws {NotFoundError} */
	async revoke(principal: Principal, id: string): Promise<string> {
		const found = await this.#store.get(tokenCollection, id, ["tenant", "owner", "key"]);
		const { owned } = ownedBy(principal);
		const isOwn = found?.owner === owned.owner && found.tenant === (owned.tenant ?? found.tenant);
		if (!isOwn || !(await this.#store.remove(tokenCollection, id, { equals: owned })))
			throw new NotFoundError(`Token "${id}" does not exist`, "TOKEN_NOT_FOUND");
		failpoint("tokens.written");
		return found.key ?? "";
	}

	/** Revokes all tokens of the person; returns their keys. */
	async revokeAll(principal: Principal): Promise<string[]> {
		const { index, range, owned } = ownedBy(principal);
		const keys: string[] = [];
		for (;;) {
			const page = { limit: batch, columns: ["key"] } as const;
			const { documents } = await this.#store.find(tokenCollection, index, range, page);
			// One by one, because each removal is entered in the audit log.
			for (const { id, key = "" } of documents) {
				await this.#store.remove(tokenCollection, id, { equals: owned });
				keys.push(key);
			}
			if (documents.length < batch) return keys;
		}
	}

	/** Returns the token with this key; undefined when it is not active. */
	async active(key: string): Promise<ActiveToken | undefined> {
		const { documents } = await this.#store.find(tokenCollection, "by_key", { equals: [key] }, { limit: 1 });
		const [found] = documents;
		return found && (found.expires_at ?? 0) > now() ? activeToken(found) : undefined;
	}

	/** Stores when a token was used last; does nothing for one that was revoked, and for an older time. */
	async markUsed(id: string, at: number): Promise<void> {
		const last_used_at = isoTime(at);
		await compareAndSet<TokenDocument | undefined, PersonalToken, TokenDocument>({
			what: "The token",
			read: () => this.#store.get(tokenCollection, id),
			decide: (document) => {
				if (!document) return undefined;
				const token: PersonalToken = JSON.parse(document.wire);
				return (token.last_used_at ?? "") < last_used_at ? { ...token, last_used_at } : undefined;
			},
			write: (document, token) => {
				const rev = document?.rev ?? 0;
				const change = { wire: JSON.stringify(token), set: { rev: rev + 1 } };
				return this.#store.update(tokenCollection, id, { equals: { rev } }, change);
			},
		});
	}

	/** Removes some of the tokens that have expired, the oldest first; resolves to their count. */
	async sweep(): Promise<number> {
		const expired = { equals: [], to: now() };
		const { documents } = await this.#store.find(tokenCollection, "by_expiry", expired, { limit: batch, columns: [] });
		await this.#store.removeMany(
			tokenCollection,
			documents.map(({ id }) => id),
		);
		return documents.length;
	}

	#count(tenant: string, owner: string): Promise<number> {
		return this.#store.count(tokenCollection, "by_owner", { equals: [tenant, owner] });
	}

	#tooMany(): ConflictError {
		return new ConflictError(`A user has at most ${this.#maxPerUser} tokens: revoke one first`, "TOKEN_LIMIT");
	}
}

/**
 * Finds the tokens of a person: of somebody whom a provider knows those of all tenants, so that none outlives a move; a
 * person of the configuration is one in each tenant.
 */
function ownedBy({ tenant, id: owner, epoch }: Principal) {
	if (epoch !== undefined) return { index: "by_person", range: { equals: [owner] }, owned: { owner } } as const;
	return { index: "by_owner", range: { equals: [tenant, owner] }, owned: { owner, tenant } } as const;
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

function taken(key: string, name: string): ConflictError {
	if (key === "by_name") return new ConflictError(`There is a token "${name}" already`, "TOKEN_EXISTS");
	const sentence =
		"This request was answered already, and a token is shown only once: revoke it and create another one";
	return new ConflictError(sentence, "TOKEN_SHOWN");
}
