/** Restores while session agents of an ended platform go on working. Night: it starts four platforms. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { runArchive } from "../../support/archive/archive-command.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, runningSession, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

interface Conversation {
	readonly turns: readonly { readonly content: string }[];
}

describe("a restore beside living session agents", function () {
	this.timeout(200_000);
	let platform: TestPlatform;
	let id: string;
	let file: string;

	beforeEach(async () => {
		platform = await startPlatform();
		({ id } = await runningSession(platform.client()));
		await ask(platform.client(), id, "!echo one");
		file = join(platform.folder, "backup.gz");
		expect((await run(platform.dataDir, "backup", "--workspaces", file)).code).to.equal(0);
	});
	afterEach(() => platform[Symbol.asyncDispose]());

	const run = (dataDir: string, ...args: readonly string[]) =>
		runArchive({ dataDir, home: platform.home, config: join(platform.folder, "config.yaml") }, args);

	async function isLost(one: TestPlatform): Promise<void> {
		const session = await eventually(async () => {
			const { body } = await one.client().get<SessionView>(`/sessions/${id}`);
			return body.status !== "running" && body;
		});
		expect([session.status, session.status_reason?.code]).to.deep.equal(["failed", "POD_LOST"]);
	}

	async function contents(one: TestPlatform): Promise<string> {
		const { body } = await one.client().get<Conversation>(`/sessions/${id}/conversation`);
		return body.turns.map(({ content }) => content).join(" ");
	}

	it("ends them, so that every answer after the restore is kept", async () => {
		await ask(platform.client(), id, "!echo two");
		await platform.stop();
		expect(platform.sessionProcesses()).not.to.deep.equal([]);
		const outcome = await run(platform.dataDir, "restore", "--force", file);
		expect(outcome.code, outcome.output).to.equal(0);
		expect(outcome.output).to.include(`Ends the session agents that still work with "${platform.dataDir}": 1`);
		expect(platform.sessionProcesses()).to.deep.equal([]);
		await using again = await startPlatform({ dataDir: platform.dataDir });
		const api = again.client();
		await isLost(again);
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		await ask(api, id, "!echo three");
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		expect(await contents(again))
			.to.include("one")
			.and.to.include("three")
			.and.not.to.include("two");
	});

	it("leaves those of another data folder alone, although it has its key and the id of its host", async () => {
		const before = platform.sessionProcesses();
		const dataDir = join(platform.folder, "rehearsal");
		mkdirSync(dataDir);
		const passphrase = join(platform.folder, "passphrase");
		writeFileSync(passphrase, "correct horse battery");
		const whole = join(platform.folder, "whole.gz");
		for (const args of [
			["backup", "--passphrase-file", passphrase, whole],
			["restore", "--passphrase-file", passphrase, whole],
		]) {
			const outcome = await run(args[0] === "backup" ? platform.dataDir : dataDir, ...args);
			expect(outcome.code, outcome.output).to.equal(0);
		}
		await using rehearsal = await startPlatform({ dataDir });
		await isLost(rehearsal);
		expect(platform.sessionProcesses()).to.deep.equal(before);
		expect(await ask(platform.client(), id, "!echo still there")).to.include("still there");
	});
});
