/**
 * Keeps credentials in Vault or OpenBao: one secret each at `users/<owner>/<name>`, with its fields (specification, Credential storage 1),
 * in a mount of key/value secrets of version 2. Processes on several machines may share it.
 */
import { bound } from "#shared/base/bounds.ts";
import { now, sleep } from "#shared/base/clock.ts";
import { ConflictError, ServiceError, UnavailableError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import { type CredentialOwner, ownerFolder } from "../store/credential-owner.ts";
import { withCredential } from "../store/credential-set.ts";
import type { CredentialStore, CredentialValues, NewCredential, StoredCredential } from "../store/credential-store.ts";
import { credentialFields, credentialIn, ownerIn, removalFields, removalIn } from "../store/vault-entry.ts";
import { KeyValues, type VersionedSecret } from "../vault/key-values.ts";
import { type VaultOptions, vaultSettings } from "../vault/vault-options.ts";
import { VaultLogin } from "../vault/vault-login.ts";
import { VaultRequests } from "../vault/vault-requests.ts";

/** Names of credentials (shared/contracts/credentials/credentials.ts); no other one may become a part of a path. */
const nameForm = /^[a-z0-9_-]{1,100}$/;
/** How many secrets are read at a time. */
const atATime = 8;
/** The most tries of a change that others overtake, and the pause before each, in milliseconds. */
const [maxTries, pauseMs] = [20, 50];
/** How long a removal may be under way, in milliseconds: its last request takes 10 s at most. After it, the name may be used again. */
const removalMs = 60_000;

export interface VaultCredentialsOptions extends VaultOptions {
	/** Most credentials of one owner. */
	readonly max_per_owner?: number;
}

export class VaultCredentials implements CredentialStore {
	static readonly kwargs = ["url", "mount", "namespace", "token", "role", "auth_mount", "token_file", "max_per_owner"];
	static readonly typedKwargs = ["max_per_owner"];
	readonly #secrets: KeyValues;
	readonly #most: number;

	/** @throws {RangeError} for arguments that cannot be used. */
	constructor({ max_per_owner = bound.credentials, ...options }: VaultCredentialsOptions) {
		const { place, mount, login } = vaultSettings(options);
		const requests = new VaultRequests(place);
		this.#secrets = new KeyValues(requests, new VaultLogin(requests, login), mount);
		this.#most = max_per_owner;
	}

	async list(owner: CredentialOwner): Promise<Credential[]> {
		const found = await this.#readAll(owner, await answered(this.#secrets.list(folderOf(owner))));
		return found.map(({ entry }) => entry);
	}

	async get(owner: CredentialOwner, name: string): Promise<Credential | undefined> {
		return (await this.#read(owner, name))?.entry;
	}

	async values(owner: CredentialOwner, names: readonly string[]): Promise<Map<string, CredentialValues>> {
		const found = await this.#readAll(owner, [...new Set(names)]);
		return new Map(found.map(({ entry, data }) => [entry.name, { secret_type: entry.secret_type, data }]));
	}

	/** The bound on the credentials of an owner may be passed by as many as are stored at the same moment. */
	async put(owner: CredentialOwner, credential: NewCredential): Promise<Credential> {
		const { name } = credential;
		const path = [...folderOf(owner), name];
		return this.#changed(path, async (secret) => {
			const former = secret.fields && credentialIn(name, secret.fields);
			if (!former) await this.#refuseMore(owner);
			const known = new Map(former && [[name, former]]);
			const stored = withCredential(known, credential, this.#most).get(name);
			if (!stored) throw new RangeError(`Cannot find credential "${name}" after it was made`);
			return { fields: credentialFields(owner, stored), result: stored.entry };
		});
	}

	/** The name is free when all versions are gone; until then a store of the same name waits. */
	async delete(owner: CredentialOwner, name: string): Promise<boolean> {
		if (!nameForm.test(name)) return false;
		const path = [...folderOf(owner), name];
		const isFound = await this.#changed(path, async ({ fields }) => {
			const isThere = fields !== undefined && credentialIn(name, fields) !== undefined;
			return { fields: isThere ? removalFields(now()) : undefined, result: isThere };
		});
		failpoint("credentials.removal-noted");
		if (isFound) await answered(this.#secrets.remove(path));
		return isFound;
	}

	async owners(): Promise<CredentialOwner[]> {
		const owners: CredentialOwner[] = [];
		for (const type of ["users", "tenants"])
			for (const folder of await answered(this.#secrets.folders([type]))) {
				const owner = await this.#ownerOf([type, folder]);
				if (owner) owners.push(owner);
			}
		return owners;
	}

	/** Secrets that somebody else has written name no owner; the others of the folder do. */
	async #ownerOf(folder: readonly string[]): Promise<CredentialOwner | undefined> {
		for (const name of await answered(this.#secrets.list(folder))) {
			const { fields } = await answered(this.#secrets.read([...folder, name]));
			const owner = fields && ownerIn(fields);
			if (owner) return owner;
		}
		return undefined;
	}

	async adopt(owner: CredentialOwner, credential: StoredCredential): Promise<void> {
		const fields = credentialFields(owner, credential);
		await this.#changed([...folderOf(owner), credential.entry.name], async () => ({ fields, result: undefined }));
	}

	/** Changes a secret that nobody else changes at the same moment. @param decide Fields that are absent change nothing. */
	async #changed<T>(
		path: readonly string[],
		decide: (
			secret: VersionedSecret,
		) => Promise<{ readonly fields: Record<string, string> | undefined; readonly result: T }>,
	): Promise<T> {
		for (let tries = 0; tries < maxTries; tries++, await sleep(pauseMs)) {
			const secret = await answered(this.#secrets.read(path));
			if (isLeaving(secret)) continue;
			const { fields, result } = await decide(secret);
			if (!fields || (await answered(this.#secrets.write(path, fields, secret.version)))) return result;
		}
		throw new UnavailableError("The credential is being changed by somebody else at the moment", "CREDENTIAL_BUSY");
	}

	async #refuseMore(owner: CredentialOwner): Promise<void> {
		const present = await answered(this.#secrets.list(folderOf(owner)));
		if (present.length < this.#most) return;
		throw new ConflictError(`There are at most ${this.#most} credentials`, "CREDENTIAL_LIMIT");
	}

	async #readAll(owner: CredentialOwner, names: readonly string[]): Promise<StoredCredential[]> {
		const found: StoredCredential[] = [];
		const rest = names.values();
		const readSome = async () => {
			for (const name of rest) {
				const one = await this.#read(owner, name);
				if (one) found.push(one);
			}
		};
		await Promise.all(Array.from({ length: atATime }, readSome));
		return found;
	}

	async #read(owner: CredentialOwner, name: string): Promise<StoredCredential | undefined> {
		if (!nameForm.test(name)) return undefined;
		const { fields } = await answered(this.#secrets.read([...folderOf(owner), name]));
		return fields && credentialIn(name, fields);
	}
}

function folderOf(owner: CredentialOwner): string[] {
	return [`${owner.type}s`, ownerFolder(owner)];
}

/** Whether somebody removes the secret now. */
function isLeaving({ fields }: VersionedSecret): boolean {
	const at = fields && removalIn(fields);
	return at !== undefined && now() - at < removalMs;
}

/** @throws {UnavailableError} for every failure of the vault; its words are the cause, which the platform logs. */
async function answered<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		if (cause instanceof ServiceError) throw cause;
		const error = new UnavailableError(
			"The credentials cannot be read or stored at the moment",
			"CREDENTIALS_UNAVAILABLE",
		);
		error.cause = cause;
		throw error;
	}
}
