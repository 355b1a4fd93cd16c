/** The credentials part: what people and tenants store, and how it gets into pods. */
import { join } from "node:path";
import { loadAdapter } from "#shared/config/adapter.ts";
import { ConfigError } from "#shared/config/config.ts";
import { gitProtocols } from "#shared/wire/git/allowed-protocols.ts";
import type { Part, Platform } from "#host/platform.ts";
import { CredentialRecords } from "./credential-records.ts";
import { credentialsService } from "./credentials.service.ts";
import { LaunchSecrets } from "./injection/launch-secrets.ts";
import { type SecretInjection, secretInjectionMethods } from "./injection/secret-injection.ts";
import { injectionService } from "./injection.service.ts";
import { tokenCredentialsService } from "./token-credentials.service.ts";
import { notedStore } from "./store/noted-store.ts";
import { UnreadableOwners } from "./store/unreadable-owners.ts";
import { type CredentialStore, credentialStoreMethods } from "./store/credential-store.ts";

/** @throws {ConfigError} for an encryption key that cannot be used. */
export async function compose({ config, trustsCallers, log, shortcomings }: Platform): Promise<Part> {
	const { credential_store, secret_injection, data_dir } = config;
	const adapter = await loadAdapter<CredentialStore>(credential_store, credentialStoreMethods, {
		default_dir: join(data_dir, "credentials"),
	}).catch(unlessKey);
	const store = notedStore(adapter, new UnreadableOwners(shortcomings));
	const protocols = gitProtocols(config, trustsCallers);
	const injection = await loadAdapter<SecretInjection>(secret_injection, secretInjectionMethods, { store, protocols });
	const records = new CredentialRecords({ store, protocols, log });
	return {
		services: [
			credentialsService(records),
			tokenCredentialsService(records),
			injectionService(new LaunchSecrets(store, injection)),
		],
	};
}

function unlessKey(error: unknown): never {
	if (error instanceof RangeError) throw new ConfigError(`credential_store: ${error.message}`);
	throw error;
}
