/**
 * The store of a process: it is opened once with the collections of its parts, and refused to a process that must not
 * have it alone.
 */
import { expect } from "chai";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import { openStorage } from "#host/storage/storage.ts";
import { ConfigError } from "#shared/config/config.ts";
import { markImport } from "#host/archive/import-mark.ts";
import type { PartModule, Platform } from "#host/platform.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { Migration } from "#shared/store/migrations/migration.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { failureOf } from "../../support/failure-of.ts";
import { testPlatform } from "../../support/platform/start-gateway.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";

const embedded = { adapter: "shared/store/embedded-store.ts#EmbeddedStore", kwargs: {}, secret_kwargs_env: {} };

function mongodb(url: string) {
	return { adapter: "shared/store/mongodb-store.ts#MongodbStore", kwargs: { url }, secret_kwargs_env: {} };
}

describe("the store of a process", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-storage-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function platformOn(store: Platform["config"]["store"], busUrl = ""): Platform {
		const platform = testPlatform({});
		const bus = { ...platform.config.bus, url: busUrl };
		return { ...platform, config: { ...platform.config, data_dir: folder, store, bus } };
	}

	async function refusalOf(store: Platform["config"]["store"], names: readonly string[], busUrl = ""): Promise<string> {
		const refusal = await failureOf(openStorage(platformOn(store, busUrl), await loadParts(names)));
		expect(refusal).to.be.an.instanceOf(ConfigError);
		return String(refusal);
	}

	it("has the collections of all parts, each declared once", async () => {
		const parts = await loadParts(serviceFolders);
		const collections = [...parts.values()].flatMap(({ collections: declared = [] }) => declared);
		const names = collections.map(({ name }) => name);
		expect(names).to.include.members(["sessions", "event_log"]);
		expect(new Set(names).size).to.equal(names.length);
		const { store } = await openStorage(platformOn(embedded), parts);
		for (const collection of collections) expect(await store.get(collection, "nobody")).to.equal(undefined);
		await store.close();
	});

	it("is refused to a part of the storing services if only one process can have it", async () => {
		const refusal = await refusalOf(embedded, ["sessions", "gateway"]);
		expect(refusal).to.match(
			/Cannot run "sessions" without "event-log"(, "[\w-]+")*: only one process can have the store /,
		);
		expect(refusal).to.include(
			'"shared/store/embedded-store.ts#EmbeddedStore", so it runs all services that store; use "npm run service -- ',
		);
		expect(refusal).to.match(
			/-- event-log sessions( [\w-]+)* settings( [\w-]+)* gateway", or a store of several processes/,
		);
		expect(await refusalOf(embedded, ["event-log"])).to.include('Cannot run "event-log" without "sessions"');
		expect(existsSync(join(folder, "store"))).to.equal(false);
	});

	it("is refused to a service without a relay for its events that cannot tell another process of them", async () => {
		expect(await refusalOf(mongodb("mongodb://127.0.0.1:1"), ["sessions"])).to.include(
			'Cannot run "sessions" without "event-log", which sees to it that its events get into the event log; ' +
				'use "npm run service -- event-log sessions", or "bus.url", over which a process with "event-log" is told',
		);
	});

	it("is refused to a part of the storing services over a bus too if only one process can have it", async () => {
		const refusal = await refusalOf(embedded, ["sessions", "gateway"], "nats://127.0.0.1:1");
		expect(refusal).to.match(
			/Cannot run "sessions" without "event-log"(, "[\w-]+")*: only one process can have the store /,
		);
	});

	it("is open to a service alone that has events, over a bus, if several processes can have it", async () => {
		const endpoint = await startMongodbEndpoint();
		const platform = platformOn(mongodb(endpoint.url), "nats://127.0.0.1:1");
		const { store, relay } = await openStorage(platform, await loadParts(["sessions"]));
		expect(relay.isLeading).to.equal(false);
		await store.close();
		await endpoint.close();
	});

	it("is open to a part of the storing services if several processes can have it", async () => {
		const endpoint = await startMongodbEndpoint();
		const { store, eventLog } = await openStorage(platformOn(mongodb(endpoint.url)), await loadParts(["event-log"]));
		expect(await eventLog.head()).to.include({ seq: 0 });
		await store.close();
		await endpoint.close();
	});

	it("is asked again about half of an archive when the process has joined the others, before it migrates anything", async () => {
		await using closing = new AsyncDisposableStack();
		const endpoint = closing.adopt(await startMongodbEndpoint(), (one) => one.close());
		const migrated: string[] = [];
		const migration: Migration = {
			version: 1,
			name: "a-change",
			kind: "expand",
			run: async () => void migrated.push("run"),
		};
		const parts = new Map(
			[...(await loadParts(["event-log"]))].map(([name, part]) => [
				name,
				{ ...part, migrations: [migration] } as PartModule,
			]),
		);
		const platform = platformOn(mongodb(endpoint.url));
		const joined = (store: DocumentStore) => closing.adopt(store, (one) => one.close());
		let first: DocumentStore | undefined;
		const halved = openStorage(platform, parts, async (store) => {
			first = joined(store);
			await markImport(store, "begun");
		});
		expect((await failureOf<Error>(halved)).message).to.include("an import into it has not finished");
		expect(migrated).to.deep.equal([]);
		if (first) await markImport(first, "done");
		await openStorage(platform, parts, async (store) => {
			joined(store);
			expect(migrated).to.deep.equal([]);
		});
		expect(migrated).to.deep.equal(["run"]);
	});

	it("ends the start of a process that is refused it, with the sentence", async () => {
		const env = { PATH: process.env["PATH"], DATA_DIR: folder, PORT: "0" };
		const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) => {
			const program = ["host/main.js", "sessions"];
			execFile(process.execPath, program, { cwd: projectRoot, env, timeout: 20_000 }, (error, _out, said) =>
				resolve({ code: error?.code, said }),
			);
		});
		expect(code).to.equal(78);
		expect(said.split("\n")).to.have.length(2);
		expect(said).to.match(/^Cannot run "sessions" without "event-log"(, "[\w-]+")*: /);
	});
});
