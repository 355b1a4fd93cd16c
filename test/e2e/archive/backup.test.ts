/**
 * A backup of a platform that runs and is written to, and its restore in another place.
 * Long: it starts two platforms, one of them under load, and the command three times.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { type Outcome, runArchive } from "../../support/archive/archive-command.ts";
import { eventually } from "../../support/eventually.ts";
import { runningSession, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { auditIsWhole } from "../../support/upgrade/whole-data.ts";

/** Runs a command on a data folder of the platform. */
function run(platform: TestPlatform, dataDir: string, ...args: readonly string[]): Promise<Outcome> {
	return runArchive({ dataDir, home: platform.home, config: join(platform.folder, "config.yaml") }, args);
}

interface Prompt {
	readonly id: string;
	readonly name: string;
}

/** Writes prompts until it is told to end, and keeps what was acknowledged, with the time of the acknowledgement. */
function writeOn(platform: TestPlatform) {
	const api = platform.client();
	const written = new Map<string, { name: string; at: number }>();
	let goesOn = true;
	async function write(writer: number): Promise<void> {
		for (let n = 0; goesOn && n < 150; n++) {
			const name = `prompt ${writer}-${n}`;
			const { status, body } = await api.post<Prompt>("/prompts", { name, content: "text ".repeat(50) });
			if (status === 201) written.set(body.id, { name, at: Date.now() });
		}
	}
	const ends = Promise.all([write(1), write(2), write(3)]);
	return {
		written,
		async end() {
			goesOn = false;
			await ends;
		},
	};
}

/** Makes a session, and its files, one of another host of the platform that the backup is of. */
function bindElsewhere(dataDir: string, id: string): void {
	const database = new DatabaseSync(join(dataDir, "store", "atelier.db"));
	for (const table of ["sessions", "workspaces"]) {
		const { changes } = database.prepare(`UPDATE ${table} SET host = ? WHERE id = ?`).run("b".repeat(16), id);
		expect(changes).to.equal(1);
	}
	database.close();
}

/** The session fails by itself, because its pod is on no machine of this platform, and can be started again. */
async function isLost(platform: TestPlatform, id: string): Promise<void> {
	const api = platform.client();
	const isOver = async () => {
		const { body } = await api.get<SessionView>(`/sessions/${id}`);
		return body.status !== "running" && body;
	};
	// A lost pod of a cluster was noticed after 12 s.
	const session = await eventually(isOver, { withinMs: 36_000, what: "the session's pod is lost" });
	expect([session.status, session.status_reason?.code]).to.deep.equal(["failed", "POD_LOST"]);
	expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
	await sessionReaches(api, id, "running");
}

describe("a backup", function () {
	this.timeout(300_000);
	let platform: TestPlatform;
	let file: string;
	/** The sessions that run at the time of the backup. */
	let here: string;
	let elsewhere: string;
	let epoch: string;
	const acknowledged = new Map<string, { name: string; at: number }>();
	let since = 0;
	const passphrase = randomBytes(12).toString("hex");

	/** The epoch of the event log, which is in front of the number of each event. */
	async function epochOf(one: TestPlatform): Promise<string> {
		await using stream = await one.events();
		const { id } = await stream.event((event) => event.id !== "");
		return id.split("-")[0] ?? "";
	}

	before(async () => {
		platform = await startPlatform({ config: { stream: { heartbeat_seconds: 1 } } });
		file = join(platform.folder, "backup.gz");
		writeFileSync(join(platform.folder, "passphrase"), `${passphrase}\n`);
		const api = platform.client();
		await api.post("/credentials", { name: "registry", secret_type: "generic", data: { key: "s3cret-value" } });
		const started = [runningSession(api), runningSession(api)] as const;
		[here, elsewhere] = (await Promise.all(started)).map(({ id }) => id) as [string, string];
		epoch = await epochOf(platform);
		const load = writeOn(platform);
		await eventually(() => load.written.size > 30);
		const outcome = await run(
			platform,
			platform.dataDir,
			"backup",
			"--passphrase-file",
			join(platform.folder, "passphrase"),
			file,
		);
		await eventually(() => load.written.size > 60);
		await load.end();
		expect(outcome.code, outcome.output).to.equal(0);
		expect(outcome.output).not.to.include("s3cret").and.not.to.include(passphrase);
		since = Date.parse(/acknowledged before (\S+)/.exec(outcome.output)?.[1] ?? "");
		for (const [id, prompt] of load.written) acknowledged.set(id, prompt);
		await platform.stop();
		// The machine that the backup is of is gone with its pods.
		for (const { pid } of platform.sessionProcesses()) process.kill(pid, "SIGKILL");
	});
	after(() => platform[Symbol.asyncDispose]());

	it("is readable by its owner only, says what it has, and leaves nothing else behind", () => {
		expect((statSync(file).mode & 0o777).toString(8)).to.equal("600");
		const lines = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
		expect(JSON.parse(lines[0] ?? "")).to.deep.include.members(["archive"]);
		const [, manifest] = JSON.parse(lines.at(-1) ?? "");
		expect(manifest.sections["documents sessions"].entries).to.equal(2);
		expect(readdirSync(join(platform.dataDir, "store", "copies"))).to.deep.equal([]);
	});

	it("restores every change that was acknowledged before it, and nothing half", async () => {
		const dataDir = join(platform.folder, "restored");
		mkdirSync(dataDir);
		const outcome = await run(
			platform,
			dataDir,
			"restore",
			"--passphrase-file",
			join(platform.folder, "passphrase"),
			file,
		);
		expect(outcome.code, outcome.output).to.equal(0);
		bindElsewhere(dataDir, elsewhere);
		await using restored = await startPlatform({ dataDir, config: { stream: { heartbeat_seconds: 1 } } });
		const api = restored.client();
		const before = [...acknowledged].filter(([, { at }]) => at < since);
		expect(before.length).to.be.greaterThan(20);
		const { body: prompts } = await api.get<Prompt[]>("/prompts");
		const names = new Map(prompts.map(({ id, name }) => [id, name]));
		for (const [id, { name }] of before) expect(names.get(id)).to.equal(name);
		for (const [id, name] of names) expect(acknowledged.get(id)?.name).to.equal(name);
		expect((await api.get("/credentials/registry")).status).to.equal(200);
		for (const id of [here, elsewhere]) await isLost(restored, id);
		await auditIsWhole(restored);
		expect(await epochOf(restored)).not.to.equal(epoch);
		const second = await run(platform, dataDir, "restore", "--force", file);
		expect(second.output).to.include("in use by another Atelier process");
		expect(second.code).to.equal(1);
	});
});
