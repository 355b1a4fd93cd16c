/**
 * The secrets of a mount with versions (Vault HTTP API, "KV secrets engine, version 2"). A write names the version that it replaces, so
 * that two writers never overwrite each other, and only the newest version is kept.
 */
import type { VaultLogin } from "./vault-login.ts";
import { VaultRefusal, type VaultRequests } from "./vault-requests.ts";

/** A secret with its version. */
export interface VersionedSecret {
	readonly version: number;
	/** Its fields; undefined: it was deleted, and its version is still counted. */
	readonly fields: Readonly<Record<string, unknown>> | undefined;
}

interface ReadAnswer {
	readonly data?: {
		readonly data?: Readonly<Record<string, unknown>> | null;
		readonly metadata?: { readonly version?: number };
	};
}

interface ListAnswer {
	readonly data?: { readonly keys?: readonly string[] };
}

export class KeyValues {
	readonly #requests: VaultRequests;
	readonly #login: VaultLogin;
	readonly #mount: string;

	constructor(requests: VaultRequests, login: VaultLogin, mount: string) {
		this.#requests = requests;
		this.#login = login;
		this.#mount = mount;
	}

	/** Resolves to version 0 where there is no secret. @param path The parts of its path. */
	async read(path: readonly string[]): Promise<VersionedSecret> {
		const { data }: ReadAnswer = await this.#send("GET", "data", path).catch(ofMissing);
		return { version: data?.metadata?.version ?? 0, fields: data?.data ?? undefined };
	}

	/** Writes the secret if its version is still this one. @returns Whether it was. */
	async write(path: readonly string[], fields: Readonly<Record<string, unknown>>, version: number): Promise<boolean> {
		// A value that is replaced must not remain.
		if (version === 0) await this.#send("POST", "metadata", path, { max_versions: 1, cas_required: true });
		try {
			await this.#send("POST", "data", path, { data: fields, options: { cas: version } });
			return true;
		} catch (error) {
			if (error instanceof VaultRefusal && error.status === 400 && /check-and-set/.test(error.message)) return false;
			throw error;
		}
	}

	/** Removes the secret with all of its versions. */
	async remove(path: readonly string[]): Promise<void> {
		await this.#send("DELETE", "metadata", path);
	}

	/** Resolves to the names of the secrets in a folder. */
	async list(path: readonly string[]): Promise<string[]> {
		return (await this.#names(path)).filter((name) => !name.endsWith("/"));
	}

	/** Resolves to the names of the folders in a folder. */
	async folders(path: readonly string[]): Promise<string[]> {
		return (await this.#names(path)).filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1));
	}

	async #names(path: readonly string[]): Promise<readonly string[]> {
		const { data }: ListAnswer = await this.#send("LIST", "metadata", path).catch(ofMissing);
		return data?.keys ?? [];
	}

	async #send(
		method: "GET" | "LIST" | "POST" | "DELETE",
		part: "data" | "metadata",
		path: readonly string[],
		body?: object,
	): Promise<object> {
		const place = [this.#mount, part, ...path.map(encodeURIComponent)].join("/");
		try {
			return await this.#requests.send(method, place, body, await this.#login.token());
		} catch (error) {
			if (!(error instanceof VaultRefusal && error.status === 403 && this.#login.isRenewable)) throw error;
			this.#login.forget();
			return this.#requests.send(method, place, body, await this.#login.token());
		}
	}
}

/** Returns the answer for a secret that is missing; one that somebody has deleted is answered with its version. */
function ofMissing(error: unknown): object {
	if (error instanceof VaultRefusal && error.status === 404) return error.value;
	throw error;
}
