/**
 * Reads the values from the store at launch and hands them to the pod, which writes them as files of its own. A pod
 * gets the credentials that its session names and no others.
 */
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { CollectedSecrets, wordsOf } from "../injection/collected-secrets.ts";
import type { InjectionRequest, SecretInjection } from "../injection/secret-injection.ts";
import type { CredentialStore } from "../store/credential-store.ts";
import { namedValues } from "../store/named-values.ts";

/** The arguments of {@link FileInjection}; the platform gives them. */
interface FileInjectionOptions {
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
		const values = await namedValues(this.#options.store, credentials);
		for (const credential of credentials) {
			const found = values.get(credential);
			if (found) collected.add(credential, found.data);
			else collected.warn(`${wordsOf(credential)} does not exist`);
		}
		return collected.whole();
	}
}
