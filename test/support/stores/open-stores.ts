/** Opens empty document stores of every kind, for tests that hold on each of them. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import type { Collection } from "#shared/store/collection.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { startMongodbEndpoint } from "./mongodb-endpoint.ts";
import { sampleCollections } from "./sample-collections.ts";

export async function openEmbedded(collections: readonly Collection[] = sampleCollections): Promise<StoreUnderTest> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-store-"));
	const store = new EmbeddedStore({ folder });
	await store.open(collections);
	return {
		store,
		async discard() {
			await store.close();
			rmSync(folder, { recursive: true });
		},
	};
}

export async function openOnEndpoint(collections: readonly Collection[] = sampleCollections): Promise<StoreUnderTest> {
	const endpoint = await startMongodbEndpoint();
	const store = new MongodbStore({ url: endpoint.url });
	await store.open(collections);
	return {
		store,
		async discard() {
			await store.close();
			await endpoint.close();
		},
	};
}

/** Returns a function that opens an empty store of each kind which needs no server, by the name of the kind. */
export function storeEngines(collections: readonly Collection[]): Record<string, () => Promise<StoreUnderTest>> {
	return {
		SQLite: () => openEmbedded(collections),
		"MongoDB's wire protocol": () => openOnEndpoint(collections),
	};
}

/** Opens a separate database on a real server. */
export async function openOnServer(
	url: string,
	collections: readonly Collection[] = sampleCollections,
): Promise<StoreUnderTest> {
	const database = `atelier_test_${randomBytes(6).toString("hex")}`;
	const store = new MongodbStore({ url, database });
	await store.open(collections);
	return {
		store,
		async discard() {
			await store.close();
			const client = new MongoClient(url);
			await client.db(database).dropDatabase();
			await client.close();
		},
	};
}

/** Opens the one database that the user of the URL may use, and empties it afterwards with the rights of that user. */
export async function openInDatabase(url: string, database: string): Promise<StoreUnderTest> {
	const store = new MongodbStore({ url, database });
	await store.open(sampleCollections);
	return {
		store,
		async discard() {
			await store.close();
			const client = new MongoClient(url);
			for (const collection of await client.db(database).collections()) await collection.drop();
			await client.close();
		},
	};
}
