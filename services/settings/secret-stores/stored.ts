/**
 * Keeps secrets in the platform's store, so that all processes have them. Values are sealed, bound to their user and
 * name: the store, its backups and its administrators have names and keys only (decision 0084).
 */
import { bound } from "#shared/base/bounds.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { SecretEntry } from "#shared/contracts/settings/secrets.ts";
import { ConflictError, UnavailableError } from "#shared/base/errors.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import type { TextSeal } from "#shared/base/secrets/sealed-text.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { SettingRecords } from "../record/setting-records.ts";
import { secretCollection } from "../secrets/secret-collection.ts";
import type { NewSecret, SecretStore } from "../secrets/secret-store.ts";

interface StoredSecretsOptions {
	/** The platform gives it. */
	readonly store: Documents;
	/** Seals with a key that is derived from the installation key; the platform gives it. */
	readonly seal: TextSeal;
	/** Most secrets of one user. */
	readonly max_per_user?: number;
	/** Most bytes of the secrets of one user as they are stored, sealed. */
	readonly max_bytes_per_user?: number;
}

interface SealedSecret extends SecretEntry {
	/** The values by key as JSON, sealed. */
	readonly sealed: string;
}

export class StoredSecrets implements SecretStore {
	static readonly kwargs = ["max_per_user", "max_bytes_per_user"];
	static readonly typedKwargs = ["max_per_user", "max_bytes_per_user"];
	readonly #records: SettingRecords<readonly SealedSecret[]>;
	readonly #seal: TextSeal;
	readonly #maxPerUser: number;
	readonly #maxBytesPerUser: number;

	constructor({
		store,
		seal,
		max_per_user = bound.secrets,
		max_bytes_per_user = bound.secretBytes,
	}: StoredSecretsOptions) {
		this.#records = new SettingRecords(store, secretCollection);
		this.#seal = seal;
		this.#maxPerUser = max_per_user;
		this.#maxBytesPerUser = max_bytes_per_user;
	}

	async list(principal: Principal): Promise<SecretEntry[]> {
		return (await this.#of(principal)).map(entryOf);
	}

	async get(principal: Principal, name: string): Promise<SecretEntry | undefined> {
		const found = await this.#find(principal, name);
		return found && entryOf(found);
	}

	async create(principal: Principal, { name, data }: NewSecret): Promise<SecretEntry> {
		const sealed = this.#seal.seal(JSON.stringify(data), placeOf(principal, name));
		const secret: SealedSecret = { name, keys: Object.keys(data).toSorted(), sealed };
		await this.#records.change(holderOf(principal), (former = []) => this.#with(former, secret));
		return entryOf(secret);
	}

	async values(principal: Principal, name: string): Promise<Readonly<Record<string, string>> | undefined> {
		const found = await this.#find(principal, name);
		return found && this.#open(found.sealed, placeOf(principal, name));
	}

	async #of(principal: Principal): Promise<readonly SealedSecret[]> {
		return (await this.#records.read(holderOf(principal))) ?? [];
	}

	async #find(principal: Principal, name: string): Promise<SealedSecret | undefined> {
		return (await this.#of(principal)).find((secret) => secret.name === name);
	}

	/** Returns the user's secrets with one more. @throws {ConflictError} */
	#with(former: readonly SealedSecret[], secret: SealedSecret): readonly SealedSecret[] {
		const { name } = secret;
		if (former.some((other) => other.name === name))
			throw new ConflictError(`Secret "${name}" exists already`, "SECRET_EXISTS");
		if (former.length >= this.#maxPerUser)
			throw new ConflictError(`A user has at most ${this.#maxPerUser} secrets`, "SECRET_LIMIT");
		const secrets = [...former, secret];
		if (jsonBytes(secrets) > this.#maxBytesPerUser)
			throw new ConflictError(`All secrets of a user have at most ${this.#maxBytesPerUser} bytes`, "SECRET_LIMIT");
		return secrets;
	}

	/** Nothing but what this installation has sealed for this place is opened. @throws {UnavailableError} */
	#open(sealed: string, place: string): Readonly<Record<string, string>> {
		try {
			if (!this.#seal.isCurrent(sealed)) throw new RangeError("it is not sealed");
			const values: Record<string, string> = JSON.parse(this.#seal.open(sealed, place));
			return values;
		} catch (cause) {
			const error = new UnavailableError("The secret cannot be read at the moment", "SECRET_UNREADABLE");
			error.cause = cause;
			throw error;
		}
	}
}

function holderOf({ tenant, id }: Principal): readonly string[] {
	return [tenant, id];
}

/** Returns the text that a sealed value is bound to. */
function placeOf({ tenant, id }: Principal, name: string): string {
	return JSON.stringify([tenant, id, name]);
}

function entryOf({ name, keys }: SealedSecret): SecretEntry {
	return { name, keys };
}
