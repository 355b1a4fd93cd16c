/**
 * A working platform with a full data folder, and with a read-only one, on real file systems.
 * Night: it fills a disk and waits until commands are taken again.
 */
import { existsSync } from "node:fs";
import { expect } from "chai";
import type { Answer, ApiClient } from "../support/clients/api-client.ts";
import { eventually } from "../support/eventually.ts";
import {
	ask,
	createSession,
	runningSession,
	sessionReaches,
	type SessionView,
} from "../support/platform/session-steps.ts";
import { SmallDisk } from "../support/hostile/small-disk.ts";
import { startPlatform, type TestPlatform } from "../support/platform/start-platform.ts";

const megabytes = 96;
/** Waiting work is tried again after at most 30 s, and work that failed repeatedly after 5 s. */
const againMs = 40_000;
/** A pod has 20 s for an orderly end. */
const endMs = 90_000;

describe("a data folder", function () {
	this.timeout(180_000);
	let disk: SmallDisk | undefined;
	let platform: TestPlatform;
	let api: ApiClient;
	let running: SessionView;
	let agents: ReturnType<TestPlatform["agents"]>;

	beforeEach(async function () {
		disk = SmallDisk.mount(megabytes);
		if (!disk) {
			console.log("      NOT TRIED, no file system may be mounted here");
			return this.skip();
		}
		platform = await startPlatform({ dataDir: disk.folder, config: { disk: { reserve_mb: 0 } } });
		api = platform.client();
		running = await runningSession(api);
		agents = platform.agents();
	});

	afterEach(async () => {
		disk?.empty();
		disk?.makeWritable();
		await platform?.[Symbol.asyncDispose]();
		disk?.[Symbol.dispose]();
	});

	it("that is full refuses commands with a reason, keeps acknowledged ones, and is used again when there is room", async () => {
		const spare = await runningSession(api);
		const taken = [running.id, spare.id];
		const refused: Answer[] = [];
		const create = async () => {
			disk?.fill();
			const answer = await api.post<SessionView>("/sessions", { name: "full", source: { type: "git", repo: "" } });
			if (answer.status === 201) taken.push(answer.body.id);
			else refused.push(answer);
			return refused.length >= 20;
		};
		await eventually(create, { withinMs: 60_000, what: "20 commands are refused" });
		for (const answer of refused) {
			expectReason(answer, disk?.folder);
			expect(answer.text, "the cause, also while a breaker is open").to.include("disk is full");
		}
		expect(await idsOf(api)).to.have.members(taken);

		await platform.kill();
		disk?.fill();
		await platform.start();
		expect(await idsOf(api)).to.have.members(taken);
		expect(platform.agents()).to.deep.include.members(agents);

		disk?.empty();
		const stop = async () => (await api.post(`/sessions/${spare.id}/stop`)).status === 200;
		await eventually(stop, { withinMs: againMs, everyMs: 100, what: "commands are taken again" });
		await sessionReaches(api, spare.id, "stopped", againMs);
		const others = taken.filter((id) => id !== spare.id);
		for (const id of others) await sessionReaches(api, id, "running", againMs);
		expect(await ask(api, running.id, "$ echo still here")).to.include("still here");
		expect(platform.agents()).to.deep.include.members(agents);
	});

	it("that is full lets the owner of a session stop and delete it by the room in reserve, whoever else writes (X2)", async () => {
		await platform.stop();
		platform.reconfigure({});
		await platform.start();
		const content = "x".repeat(20_000);
		for (let n = 0; n < 50; n++) await api.post("/prompts", { name: `used-${n}`, content });
		disk?.fill();
		let refused: Answer | undefined;
		for (let n = 0; !refused && n < 1_000; n++) {
			const prompt = await api.post("/prompts", { name: `more-${n}`, content });
			if (prompt.status !== 201) refused = prompt;
		}
		expect(refused?.status).to.equal(503);
		expect(refused?.text).to.include("stops and deletions");
		await eventually(async () =>
			(await (await fetch(`${platform.url}/health`)).text()).includes("MB left: stop the sessions"),
		);
		const stopped = await api.post(`/sessions/${running.id}/stop`);
		expect(stopped.status, stopped.text).to.equal(200);
		await sessionReaches(api, running.id, "stopped", againMs);
		const deleted = await api.delete(`/sessions/${running.id}`, { body: { cleanup: ["workspace_storage"] } });
		expect(deleted.status, deleted.text).to.equal(204);
		await eventually(() => !existsSync(platform.workspace(running.id)), {
			withinMs: againMs,
			what: "its files are removed",
		});
	});

	it("that a session fills stops that session with the reason, and no other one", async () => {
		await platform.stop();
		platform.reconfigure({ disk: { low_mb: 40 } });
		await platform.start();
		expect(await ask(api, running.id, "$ head -c 8M /dev/zero > some; echo written")).to.include("written");
		const { id } = await runningSession(api);
		const sent = await api.post(`/sessions/${id}/messages`, {
			content: "$ while :; do cat /dev/zero >> all; sleep 0.1; done",
		});
		expect(sent.status, sent.text).to.equal(200);
		const stopped = await eventually(
			async () => {
				const { body } = await api.get<SessionView>(`/sessions/${id}`);
				return body.status === "failed" ? body : undefined;
			},
			{ withinMs: againMs, what: "the session that fills the disk is stopped" },
		);
		expect(stopped.status_reason?.code, stopped.error ?? "").to.equal("DISK_FULL");
		await eventually(() => platform.agents().every(({ session }) => session !== id), {
			withinMs: endMs,
			what: "its pod has ended",
		});
		expect(platform.output).to.include(`session "${id}" was stopped, because its workspace grew`);
		expect((await api.get<SessionView>(`/sessions/${running.id}`)).body.status).to.equal("running");
		const deleted = await api.delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
		expect(deleted.status, deleted.text).to.equal(204);
		const writes = async () =>
			(await ask(api, running.id, "$ head -c 8M /dev/zero > more && echo written")).includes("written");
		await eventually(writes, { withinMs: againMs, what: "the other session can write again" });
		expect(platform.agents()).to.deep.include.members(agents);
	});

	it("that is read-only starts no session until it is writable, and does not affect running ones", async () => {
		disk?.makeReadOnly();
		const { id } = await createSession(api);
		await eventually(() => platform.output.includes(id), { withinMs: 20_000, what: "a start of the session fails" });
		expect((await api.get<SessionView>(`/sessions/${id}`)).body.status).to.equal("starting");
		const answer = await api.post(`/sessions/${running.id}/messages`, { content: "$ echo x" });
		if (answer.status !== 200) expectReason(answer, disk?.folder);

		disk?.makeWritable();
		await sessionReaches(api, id, "running", againMs);
		expect(await ask(api, running.id, "$ echo still here")).to.include("still here");
		expect(platform.agents()).to.deep.include.members(agents);
	});
});

function expectReason({ status, text, body }: Answer, folder = ""): void {
	expect(status, text).to.be.oneOf([502, 503, 504, 507]);
	expect(body).to.have.property("detail").that.is.a("string");
	expect(text).not.to.include(folder);
}

async function idsOf(api: ApiClient): Promise<string[]> {
	const { status, body } = await api.get<SessionView[]>("/sessions");
	expect(status).to.equal(200);
	return body.map(({ id }) => id);
}
