/**
 * Restores that are killed, repeated, or run twice at once, and beside a platform.
 * Long: it interrupts a restore at every step.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { isHalfImported } from "#host/archive/import-mark.ts";
import { type Installation, interruptedRestore } from "#host/archive/installation.ts";
import { restoreArchive } from "#host/archive/restore-archive.ts";
import { RestoreLock } from "#host/archive/restore-lock.ts";
import { writeArchive } from "#host/archive/write-archive.ts";
import { processCollection } from "#host/presence/process-collection.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { fileName } from "#shared/store/embedded/embedded-database.ts";
import { marks, smallInstallation } from "../../support/archive/small-installation.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type MongodbEndpoint, startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";

const passphrase = "correct horse";
const silent = { say: () => {} };

describe("a restore", function () {
	this.timeout(60_000);
	let folder: string;
	let endpoint: MongodbEndpoint;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-restore-"));
		endpoint = await startMongodbEndpoint();
	});
	afterEach(async () => {
		await endpoint.close();
		rmSync(folder, { recursive: true });
	});

	async function withStore<T>(place: Installation, work: (store: DocumentStore) => Promise<T>): Promise<T> {
		const store = await place.newStore(join(place.dataDir, "store"));
		await store.open([...place.collections, processCollection]);
		try {
			return await work(store);
		} finally {
			await store.close();
		}
	}

	/** Makes an installation whose document, credentials and key are all this text. */
	async function installation(text: string, url?: string): Promise<Installation> {
		const place = smallInstallation(join(folder, text), url);
		for (const name of ["credentials", "keys"]) mkdirSync(join(place.dataDir, name), { recursive: true });
		writeFileSync(join(place.dataDir, "credentials", "file"), text);
		writeFileSync(join(place.dataDir, "keys", "installation"), text);
		await withStore(place, (store) => store.insert(marks, { id: "mark", wire: "{}", text }));
		return place;
	}

	async function backupOf(text: string): Promise<string> {
		const path = join(folder, `${text}.gz`);
		await writeArchive(await installation(text), { path, kind: "backup", workspaces: false, passphrase, ...silent });
		return path;
	}

	const textOf = (place: Installation) =>
		withStore(place, async (store) => (await store.get(marks, "mark"))?.["text"] as string | undefined);
	const credentialsOf = ({ dataDir }: Installation) => readFileSync(join(dataDir, "credentials", "file"), "utf8");

	/** Runs a restore with --force as a process that is killed at a failpoint. */
	async function kill({ dataDir }: Installation, path: string, failpoint: string, url?: string): Promise<void> {
		const order = JSON.stringify({ dataDir, path, force: true, url });
		const env = { PATH: process.env["PATH"], ATELIER_FAILPOINTS: `${failpoint}=kill` };
		const signal = await new Promise((resolve) => {
			const program = ["test/support/archive/restore-command.ts", order];
			execFile(process.execPath, program, { cwd: projectRoot, env }, (error) => resolve(error?.signal));
		});
		expect(signal).to.equal("SIGKILL");
	}

	for (const failpoint of ["restore.loaded", "restore.placed"])
		it(`that is killed at ${failpoint} keeps the platform from starting until it is repeated`, async () => {
			const path = await backupOf("new");
			const place = await installation("old");
			const store = join(place.dataDir, "store");
			await kill(place, path, failpoint);
			expect(interruptedRestore(store)).to.include("run it again, with --force");
			// A repetition that is refused does not let the platform start either.
			const order = { path, kind: "backup", passphrase, ...silent } as const;
			const refused = await failureOf<Error>(restoreArchive(place, { ...order, force: false }));
			expect(refused.message).to.include("--force");
			expect(interruptedRestore(store)).to.be.a("string");
			const backup = { path: join(folder, "half.gz"), kind: "backup", workspaces: false, ...silent } as const;
			expect((await failureOf<Error>(writeArchive(place, backup))).message).to.include("Half of the data is no backup");

			await restoreArchive(place, { ...order, force: true });
			expect(interruptedRestore(store)).to.equal(undefined);
			expect([await textOf(place), credentialsOf(place)]).to.deep.equal(["new", "new"]);
			const keys = join(place.dataDir, "keys");
			expect(readFileSync(join(keys, "installation"), "utf8")).to.equal("new");
			const aside = readdirSync(keys).find((name) => name.startsWith("installation.before-"));
			expect(aside && readFileSync(join(keys, aside), "utf8")).to.equal("old");
			expect(existsSync(join(place.dataDir, "restore.lock"))).to.equal(false);
		});

	it("into a shared store keeps platforms from starting until the files are in their places too", async () => {
		const path = await backupOf("new");
		const { url } = endpoint;
		const place = await installation("old", url);
		await kill(place, path, "restore.loaded", url);
		expect([await textOf(place), credentialsOf(place)]).to.deep.equal(["new", "old"]);
		expect(await withStore(place, isHalfImported)).to.equal(true);
		const backup = { path: join(folder, "half.gz"), kind: "backup", workspaces: false, ...silent } as const;
		expect((await failureOf<Error>(writeArchive(place, backup))).message).to.include("Half of the data is no backup");
		// It waits until nobody has renewed the lease of the killed process for its whole length.
		await restoreArchive(place, { path, kind: "backup", force: true, withoutKey: true, ...silent });
		expect([await textOf(place), credentialsOf(place)]).to.deep.equal(["new", "new"]);
	});

	for (const kind of ["embedded", "shared"])
		it(`runs once when two begin at once, with ${kind} stores`, async () => {
			const paths = [await backupOf("first"), await backupOf("second")];
			// Two machines have a folder each, and one store.
			const target = (n: number) =>
				kind === "shared"
					? smallInstallation(join(folder, `target-${n}`), endpoint.url)
					: smallInstallation(join(folder, "target"));
			const order = { kind: "backup", force: false, withoutKey: true, ...silent } as const;
			const outcomes = await Promise.allSettled(paths.map((path, n) => restoreArchive(target(n), { path, ...order })));
			const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
			expect(failures).to.have.length(1);
			expect(failures[0]).to.match(/Another (restore|import) into .* is under way|is not empty/);
			const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
			const place = target(winner);
			expect([await textOf(place), credentialsOf(place)]).to.deep.equal(
				winner === 0 ? ["first", "first"] : ["second", "second"],
			);
			expect(await withStore(place, isHalfImported)).to.equal(false);
		});

	for (const kind of ["embedded", "shared"])
		it(`keeps others from its data folder until it has ended, with ${kind} stores`, async () => {
			const path = await backupOf("new");
			const place = smallInstallation(join(folder, "target"), kind === "shared" ? endpoint.url : undefined);
			let refused: string | undefined;
			const endWork = async () => {
				const other = await failureOf<Error>(Promise.try(() => RestoreLock.take(place.dataDir)));
				refused = other.message;
			};
			const order = { path, kind: "backup", force: false, withoutKey: true, ...silent } as const;
			await restoreArchive({ ...place, endWork }, order);
			expect(refused).to.equal(`Another restore into "${place.dataDir}" is under way`);
			RestoreLock.take(place.dataDir)[Symbol.dispose]();
		});

	it("is refused while a process of a platform announces itself in a shared store, whoever has leases", async () => {
		const path = await backupOf("new");
		const place = await installation("old", endpoint.url);
		const entry = { id: "process-1", services: ["gateway", "stream"], machine_name: "build-1" };
		const seen = (at: number) =>
			withStore(place, async (store) => {
				await store.remove(processCollection, entry.id, {});
				await store.insert(processCollection, { id: entry.id, wire: JSON.stringify(entry), seen: at });
			});
		const order = { path, kind: "backup", force: true, withoutKey: true, ...silent } as const;
		await seen(Date.now());
		const { message } = await failureOf<Error>(restoreArchive(place, order));
		expect(message).to.include('A platform uses this store ("gateway stream" on "build-1")');
		expect(await textOf(place)).to.equal("old");
		expect(await withStore(place, isHalfImported)).to.equal(false);
		await seen(Date.now() - 60_000);
		await restoreArchive(place, order);
		expect(await textOf(place)).to.equal("new");
	});

	it("is refused, and leaves the store as it was, when a process joins before it has left its mark", async () => {
		const path = await backupOf("new");
		const place = await installation("old", endpoint.url);
		const entry = JSON.stringify({ id: "process-1", services: ["core"], machine_name: "build-1" });
		const endWork = () =>
			withStore(place, (store) => store.insert(processCollection, { id: "process-1", wire: entry, seen: Date.now() }));
		const order = { path, kind: "backup", force: true, withoutKey: true, ...silent } as const;
		const { message } = await failureOf<Error>(restoreArchive({ ...place, endWork }, order));
		expect(message).to.include('A platform uses this store ("core" on "build-1")');
		expect(message).not.to.include("half of the data");
		expect([await textOf(place), await withStore(place, isHalfImported)]).to.deep.equal(["old", false]);
	});

	it("replaces a store that is damaged", async () => {
		const path = await backupOf("new");
		const place = await installation("old");
		writeFileSync(join(place.dataDir, "store", fileName), "no database".repeat(1_000));
		await restoreArchive(place, { path, kind: "backup", force: true, withoutKey: true, ...silent });
		expect(await textOf(place)).to.equal("new");
	});
});
