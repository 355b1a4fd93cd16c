/** Keeps secrets in the memory of the process, for trying out and for tests; they end with it. */
import { bound } from "#shared/base/bounds.ts";
import { personKey, type Principal } from "#shared/base/principal.ts";
import type { SecretEntry } from "#shared/contracts/settings/secrets.ts";
import { ConflictError, UnavailableError } from "#shared/base/errors.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import type { NewSecret, SecretStore } from "../secrets/secret-store.ts";

interface MemoryOptions {
	/** Most secrets of one user. */
	readonly max_per_user?: number;
	/** Most bytes of all secrets as JSON. */
	readonly max_bytes?: number;
}

export class MemorySecrets implements SecretStore {
	static readonly kwargs = ["max_per_user", "max_bytes"];
	static readonly typedKwargs = ["max_per_user", "max_bytes"];
	/** No other process has them, so a second process with this store is refused. */
	static readonly reach = "process";
	readonly #maxPerUser: number;
	readonly #maxBytes: number;
	/** Secrets by user and name. */
	readonly #secrets = new Map<string, Map<string, NewSecret>>();
	#bytes = 0;

	constructor({ max_per_user = bound.secrets, max_bytes = bound.secretBytesInMemory }: MemoryOptions = {}) {
		this.#maxPerUser = max_per_user;
		this.#maxBytes = max_bytes;
	}

	async list(principal: Principal): Promise<SecretEntry[]> {
		return [...this.#of(principal).values()].map(entryOf);
	}

	async get(principal: Principal, name: string): Promise<SecretEntry | undefined> {
		const found = this.#of(principal).get(name);
		return found && entryOf(found);
	}

	async create(principal: Principal, secret: NewSecret): Promise<SecretEntry> {
		const own = this.#of(principal);
		const { name } = secret;
		if (own.has(name)) throw new ConflictError(`Secret "${name}" exists already`, "SECRET_EXISTS");
		if (own.size >= this.#maxPerUser)
			throw new ConflictError(`A user has at most ${this.#maxPerUser} secrets`, "SECRET_LIMIT");
		const bytes = jsonBytes(secret);
		if (this.#bytes + bytes > this.#maxBytes)
			throw new UnavailableError("There is no room for another secret", "SECRETS_FULL");
		this.#bytes += bytes;
		own.set(name, { name, data: { ...secret.data } });
		this.#secrets.set(holderOf(principal), own);
		return entryOf(secret);
	}

	async values(principal: Principal, name: string): Promise<Readonly<Record<string, string>> | undefined> {
		return this.#of(principal).get(name)?.data;
	}

	#of(principal: Principal): Map<string, NewSecret> {
		return this.#secrets.get(holderOf(principal)) ?? new Map<string, NewSecret>();
	}
}

function holderOf({ tenant, id }: Principal): string {
	return personKey(tenant, id);
}

function entryOf({ name, data }: NewSecret): SecretEntry {
	return { name, keys: Object.keys(data).toSorted() };
}
