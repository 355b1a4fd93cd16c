/** Archives between the embedded store and MongoDB, and archives from somebody else. */
import { createHash } from "node:crypto";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { importCollection, isHalfImported, markImport, refuseHalfImported } from "#host/archive/import-mark.ts";
import type { Installation } from "#host/archive/installation.ts";
import { restoreArchive, type RestoreOrder } from "#host/archive/restore-archive.ts";
import { writeArchive, type WriteOrder } from "#host/archive/write-archive.ts";
import { eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type MongodbEndpoint, startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";
import { event, job, jobs, log, note, notes } from "../../support/stores/sample-collections.ts";

const collections: readonly Collection[] = [
	jobs,
	log,
	notes,
	eventLogNameCollection,
	leaseCollection,
	importCollection,
];

describe("archives", function () {
	this.timeout(30_000);
	let folder: string;
	let endpoint: MongodbEndpoint;
	let databases = 0;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-archive-"));
		endpoint = await startMongodbEndpoint();
	});
	afterEach(async () => {
		await endpoint.close();
		rmSync(folder, { recursive: true });
	});

	function installation(name: string, newStore: Installation["newStore"]): Installation {
		const dataDir = join(folder, name);
		mkdirSync(dataDir);
		return { dataDir, collections, newStore, credentials: join(dataDir, "credentials"), configuredKey: "" };
	}

	const embedded = (name: string) => installation(name, async (at) => new EmbeddedStore({ folder: at }));

	function mongodb(name: string): Installation {
		const database = `atelier_${databases++}`;
		return installation(name, async () => new MongodbStore({ url: endpoint.url, database }));
	}

	async function withStore<T>(place: Installation, work: (store: DocumentStore) => Promise<T>): Promise<T> {
		const store = await place.newStore(join(place.dataDir, "store"));
		await store.open(collections);
		try {
			return await work(store);
		} finally {
			await store.close();
		}
	}

	function fill(place: Installation): Promise<void> {
		return withStore(place, async (store) => {
			const odd = `'; DROP "\u0000 😀 __proto__`;
			await store.insert(jobs, job("a", { notes: [{ n: 1 }, null, 1.5, "größer"], due_at: -5, key: "k" }), [event(1)]);
			await store.insert(jobs, job(odd, { state: odd }));
			await store.insert(notes, note("n", { title: "title", body: "body" }));
			const rows = Array.from({ length: 700 }, (_, n) => ({ id: `row-${n}`, wire: "{}", seq: n }));
			for (const at of [0, 350]) await store.append(log, rows.slice(at, at + 350));
			await store.insert(eventLogNameCollection, { id: "log", wire: "{}", epoch: "first" });
			const lease = await new StoredLeases(store).acquire("relay");
			await lease?.release();
		});
	}

	const silent = { say: () => {} };

	async function write(place: Installation, order: Partial<WriteOrder> = {}): Promise<string> {
		const path = join(folder, `${createHash("sha1").update(place.dataDir).digest("hex")}-${databases++}.gz`);
		await writeArchive(place, { path, kind: "backup", workspaces: true, ...silent, ...order });
		return path;
	}

	function restore(place: Installation, path: string, order: Partial<RestoreOrder> = {}): Promise<void> {
		return restoreArchive(place, { path, kind: "backup", force: false, withoutKey: true, ...silent, ...order });
	}

	const linesOf = (path: string) => gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
	const epochOf = (place: Installation) =>
		withStore(place, async (store) => (await store.get(eventLogNameCollection, "log"))?.epoch);

	for (const [name, from, to] of [
		["from SQLite to MongoDB and back", embedded, mongodb],
		["from MongoDB to SQLite and back", mongodb, embedded],
	] as const)
		it(`carry every document, column and waiting event ${name}`, async () => {
			const source = from("source");
			await fill(source);
			const first = await write(source, { kind: "export" });
			const target = to("target");
			await restore(target, first, { kind: "export" });
			const epoch = await epochOf(target);
			expect(epoch).to.be.a("string").and.not.to.equal("first");
			await withStore(target, async (store) => {
				expect(await store.outbox(jobs, 10)).to.deep.equal([{ id: "a", entries: [event(1)] }]);
				expect((await store.search(notes, { equals: ["acme"] }, { text: "itl", limit: 5 })).documents).to.have.length(
					1,
				);
				expect(await store.get(leaseCollection, "relay")).to.equal(undefined);
				await refuseHalfImported(store);
				await store.update(eventLogNameCollection, "log", {}, { set: { epoch: "first" } });
			});
			const second = linesOf(await write(target, { kind: "export" }));
			// Only the header differs, which has the time.
			expect(second.slice(1)).to.deep.equal(linesOf(first).slice(1));
		});

	it("are written while another process has the store, and leave no copy behind", async () => {
		const source = embedded("source");
		await fill(source);
		await withStore(source, async (store) => {
			const path = await write(source);
			await store.insert(jobs, job("later"));
			expect(linesOf(path).join("\n")).to.include('"id":"a"').and.not.to.include("later");
		});
		expect((await failureOf<Error>(write(embedded("empty")))).message).to.include("There is no store in");
	});

	it("carry files as they are, links as links, and the key for its passphrase only", async () => {
		const source = embedded("source");
		await fill(source);
		const work = join(source.dataDir, "sessions", "one", "workspace");
		mkdirSync(work, { recursive: true });
		mkdirSync(join(source.dataDir, "credentials", "user", "ada"), { recursive: true });
		mkdirSync(join(source.dataDir, "keys"));
		writeFileSync(join(source.dataDir, "keys", "installation"), "the-key");
		writeFileSync(join(source.dataDir, "credentials", "user", "ada", "credentials.json"), "sealed", { mode: 0o600 });
		const large = Buffer.alloc(500_000, "0123456789");
		writeFileSync(join(work, "large"), large, { mode: 0o755 });
		writeFileSync(join(work, "empty"), "");
		symlinkSync("/etc/passwd", join(work, "link"));
		const path = await write(source, { passphrase: "correct horse" });
		expect(gunzipSync(readFileSync(path)).includes("the-key")).to.equal(false);

		const wrong = await failureOf<Error>(restore(embedded("wrong"), path, { passphrase: "another horse" }));
		expect(wrong.message).to.equal("The passphrase does not open the installation key of the archive");
		expect(existsSync(join(folder, "wrong", "store"))).to.equal(false);

		const target = embedded("target");
		await restore(target, path, { passphrase: "correct horse" });
		const restored = join(target.dataDir, "sessions", "one", "workspace");
		expect(readFileSync(join(restored, "large")).equals(large)).to.equal(true);
		expect(statSync(join(restored, "large")).mode & 0o777).to.equal(0o755);
		expect(readFileSync(join(restored, "empty"), "utf8")).to.equal("");
		expect(readlinkSync(join(restored, "link"))).to.equal("/etc/passwd");
		expect(readFileSync(join(target.dataDir, "keys", "installation"), "utf8")).to.equal("the-key");
		expect(readFileSync(join(target.dataDir, "credentials", "user", "ada", "credentials.json"), "utf8")).to.equal(
			"sealed",
		);
	});

	it("replace nothing without being asked, and move it aside when they are", async () => {
		const source = embedded("source");
		await fill(source);
		const path = await write(source);
		expect((await failureOf<Error>(restore(source, path))).message).to.include("is not empty; with --force");
		const said: string[] = [];
		await restore(source, path, { force: true, say: (line) => said.push(line) });
		expect(said.join("\n")).to.match(/The data of before is in ".*store\.before-\d{14}"/);
		const shared = mongodb("shared");
		await fill(shared);
		const { place } = await shared.newStore("");
		expect(place).to.match(/^database "atelier_\d+" on "127\.0\.0\.1:\d+"$/);
		expect((await failureOf<Error>(restore(shared, path))).message).to.include(
			`The store is not empty: ${place} has "event_log_name"`,
		);
		await withStore(shared, async (store) => {
			await new StoredLeases(store).acquire("relay").then(async (lease) => {
				expect((await failureOf<Error>(restore(shared, path, { force: true }))).message).to.include(
					"A platform uses this store",
				);
				await lease?.release();
			});
			await store.insert(jobs, job("extra"));
		});
		await restore(shared, path, { force: true, say: (line) => said.push(line) });
		expect(said.join("\n")).to.include(`The ${place} is emptied: it has 705 documents (700 in "log", 3 in "jobs"`);
		await withStore(shared, async (store) => expect(await store.get(jobs, "extra")).to.equal(undefined));
	});

	it("that were loaded by half keep the platform from starting until they are loaded again", async () => {
		const path = await (async () => {
			const source = embedded("source");
			await fill(source);
			return write(source);
		})();
		const target = mongodb("target");
		await withStore(target, async (store) => {
			await markImport(store, "begun");
			expect((await failureOf<Error>(refuseHalfImported(store))).message).to.include(
				"an import into it has not finished",
			);
		});
		expect((await failureOf<Error>(restore(target, path))).message).to.include("has not finished; with --force");
		await restore(target, path, { force: true });
		expect(await withStore(target, isHalfImported)).to.equal(false);
	});

	describe("of somebody else", () => {
		/** Returns an archive with these lines and a manifest that fits, as a liar would make it. */
		function forged(section: string, entries: readonly unknown[], header: object = {}): string {
			const lineOf = (entry: unknown) => (typeof entry === "string" ? entry : JSON.stringify([section, entry]));
			const text = entries.map((entry) => `${lineOf(entry)}\n`).join("");
			const sha256 = createHash("sha256").update(text).digest("hex");
			const sums = { entries: entries.length, sha256 };
			const start = { version: 1, kind: "backup", release: "0", since: "2026-01-01T00:00:00.000Z", ...header };
			const path = join(folder, "forged.gz");
			const end = { sections: { [section]: sums }, missing: [] };
			const ends = [
				["archive", start],
				["manifest", end],
			].map((line) => `${JSON.stringify(line)}\n`);
			writeFileSync(path, gzipSync(ends.join(text)));
			return path;
		}

		const jobEntry = (id: unknown, columns: object = {}, more: object = {}) => ({ id, wire: "{}", columns, ...more });
		const file = (path: string, more: object = {}) => ({ path, kind: "file", mode: 0o600, data: "", ...more });
		const inJobs = "documents jobs";
		const inSessions = "files sessions";
		const folderEntry = { path: "a", kind: "folder", mode: 0o700 };
		const inHost = JSON.stringify(["files host", folderEntry]);

		const refused: Readonly<Record<string, readonly [string, readonly unknown[], RegExp]>> = {
			"a collection that does not exist": ["documents __proto__", [jobEntry("a")], /does not know/],
			"an unknown section": ["programs", [{}], /does not know/],
			"a column that does not exist": [inJobs, [jobEntry("a", { admin: 1 })], /its column "admin"/],
			"a column __proto__": [
				inJobs,
				['["documents jobs",{"id":"a","wire":"{}","columns":{"__proto__":{"x":1}}}]'],
				/column "__proto__"/,
			],
			"a value of another type": [inJobs, [jobEntry("a", { rev: "1" })], /the value is not integer/],
			"an id that is no text": [inJobs, [jobEntry(1)], /no id/],
			"an id twice": [inJobs, [jobEntry("a"), jobEntry("a")], /out of order/],
			"ids in another order": [inJobs, [jobEntry("b"), jobEntry("a")], /out of order/],
			"malformed events": [inJobs, [jobEntry("a", {}, { events: [{ n: "1" }] })], /events are malformed/],
			"a path out of the folder": [inSessions, [file("../x")], /no file in a folder/],
			"an absolute path": [inSessions, [file("/etc/x")], /no file in a folder/],
			"a path through a link": [
				inSessions,
				[{ path: "a", kind: "link", target: "/etc" }, file("a/x")],
				/no file in a folder/,
			],
			"a path through a folder that is not there": [inSessions, [file("a/x")], /no file in a folder/],
			"a file twice": [inSessions, [file("x"), file("x")], /no file in a folder/],
			"files in another order": [inSessions, [folderEntry, file("a/y"), file("a/x")], /no file in a folder/],
			"a name that no system takes": [inSessions, [file("n".repeat(256))], /no file in a folder/],
			"a path with a dot": [inSessions, [folderEntry, file("a/./x")], /no file in a folder/],
			"a set-user-id program": [inSessions, [file("x", { mode: 0o4755 })], /no file in a folder/],
			"a part of another file": [inSessions, [file("x"), { path: "y", kind: "more", data: "" }], /no file in a folder/],
			"a line that is no JSON": [inJobs, ['["documents jobs",{'], /Line 2 is no part of an archive/],
			"a section that begins again": [inSessions, [folderEntry, inHost, file("x")], /Line 4 begins the section/],
		};
		for (const [what, [section, entries, sentence]] of Object.entries(refused))
			it(`are refused with ${what}, and nothing changes`, async () => {
				const target = embedded("target");
				expect((await failureOf<Error>(restore(target, forged(section, entries)))).message).to.match(sentence);
				expect(existsSync(join(target.dataDir, "store"))).to.equal(false);
				expect(existsSync(join(target.dataDir, "sessions"))).to.equal(false);
			});

		it("are read when they are in order (control)", async () => {
			const target = embedded("target");
			await restore(target, forged(inJobs, [jobEntry("a", { rev: 1 }), jobEntry("b")]));
			await withStore(target, async (store) => expect((await store.get(jobs, "a"))?.rev).to.equal(1));
			const files = embedded("files");
			await restore(files, forged(inSessions, [folderEntry, file("a/x", { data: "eA==" })]));
			expect(readFileSync(join(files.dataDir, "sessions", "a", "x"), "utf8")).to.equal("x");
		});

		it("are refused when two documents claim the same key, and the former data stays", async () => {
			const target = embedded("target");
			await fill(target);
			const twice = [jobEntry("x", { tenant: "t", key: "k" }), jobEntry("y", { tenant: "t", key: "k" })];
			const failure = await failureOf<Error>(restore(target, forged(inJobs, twice), { force: true }));
			expect(failure.message).to.include('Cannot use "y"').and.to.include('the same "by_key"');
			await withStore(target, async (store) => expect(await store.get(jobs, "a")).not.to.equal(undefined));
		});

		it("are refused with a line without an end, in bounded memory", async () => {
			const path = join(folder, "bomb.gz");
			writeFileSync(path, gzipSync(Buffer.alloc(80 * 1_048_576, "x")));
			expect((await failureOf<Error>(restore(embedded("target"), path))).message).to.include(
				"A line of the archive has more than",
			);
		});

		it("are refused in another version or when they are something else", async () => {
			const target = embedded("target");
			const version = await failureOf<Error>(restore(target, forged(inJobs, [], { version: 2 })));
			expect(version.message).to.include("The archive has the form 2, and this release reads 1");
			const path = join(folder, "text");
			writeFileSync(path, "no gzip");
			expect((await failureOf<Error>(restore(target, path))).message).to.include("Cannot read the archive");
			expect((await failureOf<Error>(restore(target, join(folder, "nothing")))).message).to.include("ENOENT");
			const only = forged(inJobs, [], { kind: "export" });
			expect((await failureOf<Error>(restore(target, only))).message).to.include("use npm run import");
		});
	});
});
