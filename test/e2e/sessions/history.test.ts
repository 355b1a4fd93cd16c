/**
 * The conversation, logs and diff of a session can be read when its pod is gone, whichever process was killed, and
 * are deleted with the session.
 * Long: it kills and starts the platform and its pods again and again.
 */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Timeline } from "#shared/contracts/sessions/chronicles.ts";
import type { DiffFileList, DiffPatch, FileDiff } from "#shared/contracts/sessions/session-diff.ts";
import type { ConversationPage, SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import { withoutFence } from "#shared/wire/pod/fenced-output.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

async function told<T>(api: ApiClient, path: string): Promise<T> {
	const { status, body, text } = await api.get<T>(path);
	if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
	return body;
}

/** The answers of the three routes for a session. */
async function everything(api: ApiClient, id: string) {
	const path = `/sessions/${id}`;
	const [conversation, files, file, patch, logs] = await Promise.all([
		told<ConversationPage>(api, `${path}/conversation`),
		told<DiffFileList>(api, `${path}/diff`),
		told<FileDiff>(api, `${path}/diff?file=one.txt`),
		told<DiffPatch>(api, `${path}/diff?format=patch`),
		told<SessionLogs>(api, `${path}/logs?lines=2000`),
	]);
	return { conversation, files, file, patch, logs };
}

/** Counts the rows of history in the store of a platform that does not run. */
function historyRows({ dataDir }: TestPlatform): Record<string, number> {
	const folder = join(dataDir, "store");
	const database = new DatabaseSync(join(folder, "atelier.db"), { readOnly: true });
	const count = (table: string): number => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
	const rows = {
		sessions: count("sessions"),
		heads: count("session_history"),
		chunks: count("session_history_chunks"),
	};
	database.close();
	return rows;
}

function contents({ turns }: ConversationPage): string[] {
	return turns.map(({ role, content }) => `${role}: ${withoutFence(content).trim()}`);
}

/** Resolves when the platform has the turn with this text: its entry of the timeline comes later. */
async function heardOf(api: ApiClient, id: string, answer: string): Promise<void> {
	await eventually(
		async () => {
			const { events } = await told<Timeline>(api, `/chronicles/${id}/timeline`);
			return events.some(({ type, label }) => type === "message" && label === answer);
		},
		{ withinMs: 15_000, what: `the platform has heard "${answer}"` },
	);
}

describe("history", function () {
	this.timeout(180_000);

	it("answers the same after a stop, and is deleted with the session", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		await ask(api, id, "$ echo one > one.txt; echo first");
		await ask(api, id, "$ echo second");
		const alive = await everything(api, id);
		expect(alive.files.files).to.deep.equal([{ path: "one.txt", status: "new", ins: 1, del: 0 }]);

		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		const gone = await everything(api, id);
		expect(gone.conversation).to.deep.equal(alive.conversation);
		expect([gone.files, gone.file, gone.patch]).to.deep.equal([alive.files, alive.file, alive.patch]);
		expect(gone.logs.lines.slice(0, alive.logs.lines.length)).to.deep.equal(alive.logs.lines);
		const [last] = (await told<SessionLogs>(api, `/sessions/${id}/logs?lines=1`)).lines;
		expect(last).to.deep.equal(gone.logs.lines.at(-1));
		for (const path of ["logs?lines=0", "logs?lines=2001"])
			expect((await api.get(`/sessions/${id}/${path}`)).status, path).to.equal(422);

		await api.post(`/sessions/${id}/archive`);
		expect((await everything(api, id)).conversation, "archived").to.deep.equal(alive.conversation);
		await api.post(`/sessions/${id}/restore`);
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		await ask(api, id, "$ echo third");
		expect((await told<ConversationPage>(api, `/sessions/${id}/conversation`)).turns).to.have.length(6);

		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		await platform.stop();
		expect(historyRows(platform)).to.include({ sessions: 1, heads: 1 }).and.to.have.property("chunks").above(6);
		await platform.start();
		await api.delete(`/sessions/${id}`);
		await eventually(
			async () => {
				await platform.stop();
				const rows = historyRows(platform);
				if (rows["sessions"] === 0) return true;
				await platform.start();
				return false;
			},
			{ withinMs: 90_000, everyMs: 1_000, what: "the tombstone is removed" },
		);
		expect(historyRows(platform)).to.deep.equal({ sessions: 0, heads: 0, chunks: 0 });
	});

	it("has the work of the pod while the platform was dead, although the pod died too", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		await ask(api, id, "$ echo before");
		await heardOf(api, id, "before");
		const { status } = await api.post(`/sessions/${id}/messages`, {
			content: "$ sleep 1; echo meanwhile > one.txt; cat one.txt",
		});
		expect(status).to.equal(200);
		await platform.kill();
		const spool = join(platform.dataDir, "sessions", id, "state", "history.jsonl");
		await eventually(
			() => {
				const waiting = readFileSync(spool, "utf8");
				return waiting.includes("meanwhile\\n") && waiting.includes("+meanwhile");
			},
			{ withinMs: 15_000, what: "the pod's spool has turn and patch" },
		);
		const [agent] = platform.agents();
		process.kill(agent?.pid ?? expect.fail("no agent"), "SIGKILL");

		await platform.start();
		await sessionReaches(api, id, "failed").catch(() => {});
		const before = contents(await told<ConversationPage>(api, `/sessions/${id}/conversation`));
		expect(before.slice(0, 2), "what was heard before").to.deep.equal(["user: $ echo before", "assistant: before"]);
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		const { conversation, patch } = await everything(api, id);
		expect(contents(conversation)).to.deep.equal([
			"user: $ echo before",
			"assistant: before",
			"user: $ sleep 1; echo meanwhile > one.txt; cat one.txt",
			"assistant: meanwhile",
		]);
		expect(patch.patch).to.include("+meanwhile");
	});

	it("is delivered by a pod that survives a restart of the platform", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		await api.post(`/sessions/${id}/messages`, { content: "$ sleep 1; echo meanwhile > one.txt; cat one.txt" });
		await platform.kill();
		await platform.start();
		await sessionReaches(api, id, "running");
		const isAnswered = async (): Promise<boolean> =>
			contents(await told<ConversationPage>(api, `/sessions/${id}/conversation`)).includes("assistant: meanwhile");
		await eventually(isAnswered, { withinMs: 15_000 });
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		expect(await isAnswered()).to.equal(true);
		expect((await everything(api, id)).files.files.map(({ path }) => path)).to.deep.equal(["one.txt"]);
	});

	it("has the reports of a pod up to the moment at which it was killed", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		await ask(api, id, "$ echo kept > one.txt; cat one.txt");
		const spool = join(platform.dataDir, "sessions", id, "state", "history.jsonl");
		await eventually(() => readFileSync(spool, "utf8").includes("+kept"), { withinMs: 15_000 });
		// Reports are in order: when the next answer has arrived, so has the patch.
		const answer = await ask(api, id, "$ echo told");
		await heardOf(api, id, "told");
		const before = await everything(api, id);
		const [agent] = platform.agents();
		process.kill(agent?.pid ?? expect.fail("no agent"), "SIGKILL");
		await eventually(async () => (await api.get<{ status: string }>(`/sessions/${id}`)).body.status === "failed", {
			withinMs: 10_000,
		});
		const { conversation, files } = await everything(api, id);
		expect(conversation.turns).to.deep.equal(before.conversation.turns);
		expect(withoutFence(conversation.turns.at(-1)?.content ?? "")).to.equal(answer);
		expect(files).to.deep.equal(before.files);
	});
});
