/**
 * Reads the values from the store at launch and hands them to the pod, which writes them as files of its own. A pod
 * gets the credentials that its session names and no others.
 */
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { CollectedSecrets, wordsOf } from "../injection/collected-secrets.ts";
import type { InjectionRequest, MappedCredential, SecretInjection } from "../injection/secret-injection.ts";
import { ownerKey } from "../store/credential-owner.ts";
import type { CredentialStore, CredentialValues } from "../store/credential-store.ts";

/** The arguments of {@link FileInjection}; the platform gives them. */
export interface FileInjectionOptions {
	readonly store: CredentialStore;
	/** The protocols of repositories that this installation allows. */
	readonly protocols: readonly string[];
}

export class FileInjection implements SecretInjection {
	readonly #options: FileInjectionOptions;

	constructor(options: FileInjectionOptions) {
		this.#options = options;
	}

	async prepare({ credentials }: InjectionRequest): Promise<PodSecrets> {
		const collected = new CollectedSecrets(this.#options.protocols);
		const values = await this.#valuesOf(credentials);
		for (const credential of credentials) {
			const found = values.get(credential);
			if (found) collected.add(credential, found.data);
			else collected.warn(`${wordsOf(credential)} does not exist`);
		}
		return collected.whole();
	}

	/** Asks once for the values of each owner, because a store may read all that an owner has for each question. */
	async #valuesOf(credentials: readonly MappedCredential[]): Promise<Map<MappedCredential, CredentialValues>> {
		const values = new Map<MappedCredential, CredentialValues>();
		for (const own of Map.groupBy(credentials, ({ owner }) => ownerKey(owner)).values()) {
			const [first] = own;
			if (!first) continue;
			const names = own.map(({ name }) => name);
			const found = await this.#options.store.values(first.owner, names);
			for (const credential of own) {
				const read = found.get(credential.name);
				if (read) values.set(credential, read);
			}
		}
		return values;
	}
}
