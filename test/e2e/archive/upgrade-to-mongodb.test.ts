/**
 * Data of the published release 0.2.0 moves to a real MongoDB server by `npm run export` and `import`, also when the import is killed
 * in the middle.
 * Night: it starts platforms over MongoDB.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import type { ArchiveManifest } from "#host/archive/archive-format.ts";
import { type Outcome, runArchive } from "../../support/archive/archive-command.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";
import {
	releasedConfig,
	releasedHeaders,
	readReleasedData,
	unpackReleasedData,
} from "../../support/upgrade/released-data.ts";
import { isWhole } from "../../support/upgrade/whole-data.ts";

/** The section with the epoch of the event log, the only one that an import changes. */
const logName = "documents event_log_name";

describe("data of release 0.2.0, moved to MongoDB", function () {
	this.timeout(600_000);
	const old = readReleasedData();
	let mongod: MongodSet;
	let folder: string;
	let dataDir: string;
	let exported: string;

	before(async () => {
		mongod = await MongodSet.start(1);
	});
	after(() => mongod[Symbol.asyncDispose]());

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-move-"));
		dataDir = join(folder, "data");
		mkdirSync(dataDir, { mode: 0o700 });
		unpackReleasedData(old, dataDir);
		writeFileSync(join(folder, "config.yaml"), JSON.stringify(releasedConfig));
		exported = join(folder, "exported.gz");
		expect(await run({}, "export", exported)).to.include({ code: 0 });
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function run(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
		return runArchive({ dataDir, home: folder, config: join(folder, "config.yaml"), env }, args);
	}

	/** Variables of a command over a database of the server. */
	function over(database: string, more: Record<string, string> = {}): Record<string, string> {
		return {
			STORE__ADAPTER: "shared/store/mongodb-store.ts#MongodbStore",
			STORE__KWARGS__URL: mongod.url,
			STORE__KWARGS__DATABASE: database,
			...more,
		};
	}

	function start(database: string): Promise<TestPlatform> {
		const config = { ...releasedConfig, stream: { heartbeat_seconds: 1 } };
		return startPlatform({ dataDir, config, env: over(database), processes: [[]] });
	}

	const linesOf = (path: string) => gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");

	/** Returns the counts and checksums of an archive's sections, without that of the epoch. */
	function sumsOf(path: string) {
		const [, { sections }] = JSON.parse(linesOf(path).at(-1) ?? "") as ["manifest", ArchiveManifest];
		const { [logName]: _, ...others } = sections;
		return others;
	}

	function epochOf(path: string): string {
		const lines = linesOf(path);
		const entry = lines.find((line) => line.startsWith(`["${logName}",`));
		const [, { columns }] = JSON.parse(entry ?? "") as [string, { columns: { epoch: string } }];
		return columns.epoch;
	}

	it("is the same there with a new epoch of its events, and can be worked with", async () => {
		const imported = await run(over("moved"), "import", exported);
		expect(imported.code, imported.output).to.equal(0);
		const again = join(folder, "again.gz");
		expect(await run(over("moved"), "export", again)).to.include({ code: 0 });
		expect(Object.keys(sumsOf(exported))).to.include.members(["documents sessions", "documents usage_ledger"]);
		expect(sumsOf(again)).to.deep.equal(sumsOf(exported));
		const epoch = epochOf(again);
		expect(epoch).not.to.equal(epochOf(exported));

		await using platform = await start("moved");
		await isWhole(platform, old, { isSameDay: false });
		await using stream = await platform.events({ headers: releasedHeaders });
		const { id } = await stream.event((event) => event.id !== "");
		expect(id.split("-")[0]).to.equal(epoch);
	});

	for (const failpoint of ["restore.written", "restore.loaded"])
		it(`does not start when the import was killed at ${failpoint}, until it is repeated`, async () => {
			const database = failpoint.replace(".", "_");
			const killed = await run(over(database, { ATELIER_FAILPOINTS: `${failpoint}=kill` }), "import", exported);
			expect(killed.signal).to.equal("SIGKILL");
			const starts = start(database).then((platform) => platform[Symbol.asyncDispose]());
			expect((await failureOf<Error>(starts)).message).to.include(
				"an import into it has not finished; import again with --force, which empties it first",
			);

			// The lease of the killed command runs out after a while.
			const refusal = await eventually(
				async () => {
					const { code, output } = await run(over(database), "import", exported);
					expect(code).to.equal(1);
					if (output.includes("was killed some seconds ago: try again")) return undefined;
					return output;
				},
				{ withinMs: 60_000, everyMs: 1_000 },
			);
			expect(refusal).to.include("has not finished; with --force the store is emptied first");

			const repeated = await run(over(database), "import", "--force", exported);
			expect(repeated.code, repeated.output).to.equal(0);
			const again = join(folder, "again.gz");
			expect(await run(over(database), "export", again)).to.include({ code: 0 });
			expect(sumsOf(again)).to.deep.equal(sumsOf(exported));
			await using platform = await start(database);
			expect((await platform.client(releasedHeaders).get(`/sessions/${old.stopped}`)).status).to.equal(200);
		});
});
