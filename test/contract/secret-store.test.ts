/** Every secret store passes the same suite. */
import { MemorySecrets } from "#services/settings/secret-stores/memory.ts";
import { StoredSecrets } from "#services/settings/secret-stores/stored.ts";
import { secretCollection } from "#services/settings/secrets/secret-collection.ts";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";
import { openEmbedded, openOnEndpoint } from "../support/stores/open-stores.ts";
import type { StoreUnderTest } from "./document-store.contract.ts";
import { describeSecretStore, type SecretsUnderTest } from "./secret-store.contract.ts";

const seal = new TextSeal(Buffer.alloc(32, 1).toString("base64"));

async function over(opening: Promise<StoreUnderTest>): Promise<SecretsUnderTest> {
	const opened = await opening;
	const { store } = opened;
	return { with: (limits) => new StoredSecrets({ store, seal, ...limits }), discard: () => opened.discard() };
}

describeSecretStore("MemorySecrets", async () => ({ with: (limits) => new MemorySecrets(limits) }));
describeSecretStore("StoredSecrets on SQLite", () => over(openEmbedded([secretCollection])));
describeSecretStore("StoredSecrets on MongoDB's wire protocol", () => over(openOnEndpoint([secretCollection])));
