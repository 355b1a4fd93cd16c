/**
 * A backup of a platform that runs and is written to, and its restore in another place.
 * Long: it starts two platforms, one of them under load, and the command three times.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { projectRoot } from "#shared/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

interface Outcome {
	readonly code: number;
	readonly output: string;
}

/** Runs a program of the project on a data folder. */
function run(platform: TestPlatform, dataDir: string, command: string, ...args: readonly string[]): Promise<Outcome> {
	const env = {
		PATH: process.env["PATH"] ?? "",
		HOME: platform.home,
		DATA_DIR: dataDir,
		ATELIER_CONFIG: join(platform.folder, "config.yaml"),
	};
	return new Promise((resolve) => {
		const program = ["services/archive.ts", command, ...args];
		execFile(process.execPath, program, { cwd: projectRoot, env }, (error, stdout, stderr) => {
			resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr });
		});
	});
}

interface Prompt {
	readonly id: string;
	readonly name: string;
}

interface Session {
	readonly id: string;
	readonly status: string;
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

describe("a backup", function () {
	this.timeout(300_000);
	let platform: TestPlatform;
	let file: string;
	let session: Session;
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
		({ body: session } = await api.post<Session>("/sessions", { name: "before-the-backup" }));
		await eventually(async () => (await api.get<Session>(`/sessions/${session.id}`)).body.status === "running");
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
	});
	after(() => platform[Symbol.asyncDispose]());

	it("is readable by its owner only, says what it has, and leaves nothing else behind", () => {
		expect((statSync(file).mode & 0o777).toString(8)).to.equal("600");
		const lines = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
		expect(JSON.parse(lines[0] ?? "")).to.deep.include.members(["archive"]);
		const [, manifest] = JSON.parse(lines.at(-1) ?? "");
		expect(manifest.sections["documents sessions"].entries).to.equal(1);
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
		await using restored = await startPlatform({ dataDir, config: { stream: { heartbeat_seconds: 1 } } });
		const api = restored.client();
		const before = [...acknowledged].filter(([, { at }]) => at < since);
		expect(before.length).to.be.greaterThan(20);
		const { body: prompts } = await api.get<Prompt[]>("/prompts");
		const names = new Map(prompts.map(({ id, name }) => [id, name]));
		for (const [id, { name }] of before) expect(names.get(id)).to.equal(name);
		for (const [id, name] of names) expect(acknowledged.get(id)?.name).to.equal(name);
		expect((await api.get("/credentials/registry")).status).to.equal(200);
		await eventually(async () => {
			const { body } = await api.get<Session>(`/sessions/${session.id}`);
			return body.status === "failed" || body.status === "stopped" || body.status === "running";
		});
		expect(await epochOf(restored)).not.to.equal(epoch);
		const second = await run(platform, dataDir, "restore", "--force", file);
		expect(second.output).to.include("in use by another Atelier process");
		expect(second.code).to.equal(1);
	});
});
