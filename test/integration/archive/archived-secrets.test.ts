/** Secrets of users in archives: sealed, and readable again with the key of the installation alone. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { collections } from "#services/settings/compose.ts";
import { StoredSecrets } from "#services/settings/secret-stores/stored.ts";
import type { Installation } from "#host/archive/installation.ts";
import { restoreArchive } from "#host/archive/restore-archive.ts";
import { writeArchive } from "#host/archive/write-archive.ts";
import { importCollection } from "#host/archive/import-mark.ts";
import type { Principal } from "#shared/base/principal.ts";
import { eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const data = { token: "value-that-stays-sealed" };
const seal = new TextSeal(Buffer.alloc(32, 1).toString("base64"));
const all = [...collections, eventLogNameCollection, importCollection];

describe("secrets of users in archives", function () {
	this.timeout(30_000);
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-archived-secrets-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("are carried from SQLite to MongoDB, and the archive has no value", async () => {
		const endpoint = await startMongodbEndpoint();
		try {
			const source = placeOf("source", (at) => new EmbeddedStore({ folder: at }));
			const target = placeOf("target", () => new MongodbStore({ url: endpoint.url }));
			await over(source, (secrets) => secrets.create(alice, { name: "a", data }));
			const order = { path: join(folder, "archive.gz"), kind: "export", say: () => {} } as const;
			await writeArchive(source, { ...order, workspaces: false });
			expect(gunzipSync(readFileSync(order.path)).toString("utf8"))
				.to.include("user_secrets")
				.and.not.to.include(data.token);
			await restoreArchive(target, { ...order, force: false });
			expect(await over(target, (secrets) => secrets.values(alice, "a"))).to.deep.equal(data);
		} finally {
			await endpoint.close();
		}
	});

	function placeOf(name: string, open: (folder: string) => DocumentStore): Installation {
		const dataDir = join(folder, name);
		mkdirSync(dataDir);
		const newStore: Installation["newStore"] = async (at) => open(at);
		return {
			dataDir,
			collections: all,
			newStore,
			credentials: undefined,
			configuredKey: Buffer.alloc(32, 1).toString("base64url"),
		};
	}

	async function over<T>(place: Installation, work: (secrets: StoredSecrets) => Promise<T>): Promise<T> {
		const store = await place.newStore(join(place.dataDir, "store"));
		await store.open(all);
		try {
			return await work(new StoredSecrets({ store, seal }));
		} finally {
			await store.close();
		}
	}
});
