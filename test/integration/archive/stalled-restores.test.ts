/** Restores into a shared store while the store or the machine stalls, and what one says that fails half-way. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { isHalfImported } from "#host/archive/import-mark.ts";
import type { Installation } from "#host/archive/installation.ts";
import { restoreArchive } from "#host/archive/restore-archive.ts";
import { writeArchive } from "#host/archive/write-archive.ts";
import { turnClock } from "#shared/base/clock.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { marks, smallInstallation } from "../../support/archive/small-installation.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type MongodbEndpoint, startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";

const passphrase = "correct horse";
const key = "key of the archive";
const remedy = "No platform starts on half of the data; run the same command again, with --force";
const takenOver =
	"Another restore or import has taken over this store, because this one had stalled; it ends and writes nothing more";
const order = { kind: "backup", force: true, say: () => {} } as const;

/** Lets the clocks of this process go on at once, as those of a machine that has stalled. */
function movedClock() {
	let ahead = 0;
	const turnBack = turnClock({ now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead });
	return { advance: (ms: number) => (ahead += ms), [Symbol.dispose]: turnBack };
}

describe("a restore into a shared store", function () {
	this.timeout(60_000);
	let folder: string;
	let endpoint: MongodbEndpoint;
	let path: string;
	let place: Installation;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-stalled-"));
		endpoint = await startMongodbEndpoint();
		path = join(folder, "archive.gz");
		const former = { ...smallInstallation(join(folder, "former")), configuredKey: key };
		mkdirSync(join(former.dataDir, "credentials"), { recursive: true });
		writeFileSync(join(former.dataDir, "credentials", "file"), "new");
		await write(former, "new");
		const backup = { path, kind: "backup", workspaces: false, passphrase, say: () => {} } as const;
		await writeArchive(former, backup);
		place = { ...smallInstallation(join(folder, "target"), endpoint.url), configuredKey: key };
		await write(place, "old");
	});
	afterEach(async () => {
		await endpoint.close();
		rmSync(folder, { recursive: true });
	});

	async function withStore<T>(at: Installation, work: (store: DocumentStore) => Promise<T>): Promise<T> {
		const store = await at.newStore(join(at.dataDir, "store"));
		await store.open(at.collections);
		try {
			return await work(store);
		} finally {
			await store.close();
		}
	}

	const write = (at: Installation, text: string) =>
		withStore(at, (store) => store.insert(marks, { id: "mark", wire: "{}", text }));
	const textOf = () => withStore(place, async (store) => (await store.get(marks, "mark"))?.["text"]);
	const isHalf = () => withStore(place, isHalfImported);
	const credentials = () => readFileSync(join(place.dataDir, "credentials", "file"), "utf8");

	async function isRestored(): Promise<void> {
		expect([await textOf(), credentials(), await isHalf()]).to.deep.equal(["new", "new", false]);
		const { holder } = (await withStore(place, (store) => store.get(leaseCollection, "import"))) ?? {};
		expect(holder).to.equal("");
	}

	for (const [seconds, after] of [
		[3, "it has lost its lease"],
		[60, "others could have taken its lease"],
	] as const)
		for (const given of [{}, { passphrase }])
			it(`goes on when everything stalls until ${after}, ${given.passphrase ? "with" : "without"} a passphrase`, async () => {
				using clock = movedClock();
				const afterRestore = async () => void clock.advance(seconds * 1_000);
				await restoreArchive({ ...place, afterRestore }, { ...order, path, ...given });
				await isRestored();
			});

	it("takes its lease again while it works, so that no other command begins", async () => {
		using clock = movedClock();
		const afterRestore = async () => {
			const fence = async () => (await withStore(place, (store) => store.get(leaseCollection, "import")))?.fence ?? 0;
			const before = await fence();
			clock.advance(3_000);
			await eventually(async () => (await fence()) > before);
		};
		await restoreArchive({ ...place, afterRestore }, { ...order, path });
		await isRestored();
	});

	for (const end of ["goes on", "has ended"])
		it(`fails when another command has had the turn and ${end}; the same command again succeeds`, async () => {
			using clock = movedClock();
			const afterRestore = () =>
				withStore(place, async (store) => {
					const others = new StoredLeases(store);
					expect(await others.acquire("import")).to.equal(undefined);
					clock.advance(5_000);
					const lease = await others.acquire("import");
					expect(lease?.isHeld).to.equal(true);
					if (end === "has ended") await lease?.release();
				});
			const failure = await failureOf<Error>(restoreArchive({ ...place, afterRestore }, { ...order, path }));
			expect(failure.message).to.equal(takenOver);
			expect(await isHalf()).to.equal(true);
			expect(existsSync(join(place.dataDir, "credentials.restoring"))).to.equal(false);
			await restoreArchive(place, { ...order, path });
			await isRestored();
		});

	it("says how to go on when it fails half-way", async () => {
		const afterRestore = () => Promise.reject(new Error("The disk is full"));
		const failure = await failureOf<Error>(restoreArchive({ ...place, afterRestore }, { ...order, path, passphrase }));
		expect(failure.message).to.equal(`The disk is full. ${remedy}`);
		expect(await isHalf()).to.equal(true);
		expect(existsSync(join(place.dataDir, "credentials.restoring"))).to.equal(false);
		await restoreArchive(place, { ...order, path, passphrase });
		await isRestored();
	});

	it("changes nothing when session agents do not end", async () => {
		const endWork = () => Promise.reject(new Error("Session agents do not end"));
		const failure = await failureOf<Error>(restoreArchive({ ...place, endWork }, { ...order, path }));
		expect(failure.message).to.equal("Session agents do not end");
		expect([await textOf(), await isHalf()]).to.deep.equal(["old", false]);
	});

	for (const at of ["append", "removeMany"])
		it(`that stalls at its first ${at}, after it has confirmed its turn, changes nothing of a restore that took over`, async () => {
			const other = { ...smallInstallation(join(folder, "other")), configuredKey: key };
			await withStore(other, async (store) => {
				await store.insert(marks, { id: "mark", wire: "{}", text: "late" });
				await store.insert(marks, { id: "only-late", wire: "{}", text: "late" });
			});
			const late = join(folder, "late.gz");
			await writeArchive(other, { path: late, kind: "backup", workspaces: false, passphrase, say: () => {} });
			const given = JSON.stringify({ dataDir: join(folder, "late"), path: late, url: endpoint.url, at });
			const child = spawn(process.execPath, ["test/support/archive/stalled-restore.ts", given], {
				cwd: projectRoot,
				stdio: ["pipe", "pipe", "inherit"],
			});
			try {
				const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
				expect((await lines.next()).value).to.equal("stalled");
				await restoreArchive(place, { ...order, path, passphrase });
				child.stdin.end();
				expect((await lines.next()).value).to.equal(takenOver);
				await isRestored();
				expect(await withStore(place, (store) => store.get(marks, "only-late"))).to.equal(undefined);
			} finally {
				child.kill("SIGKILL");
			}
		});
});
