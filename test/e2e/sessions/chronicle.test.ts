/**
 * The events of a session are in its timeline at once, in its chronicle at the end, and on the stream.
 * Night: it kills and starts the platform at three moments of a chronicle.
 */
import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chronicle, Timeline } from "#shared/contracts/sessions/chronicles.ts";
import type { SessionEvent } from "#shared/contracts/sessions/session-events.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";
import {
	ask,
	createSession,
	runningSession,
	sessionReaches,
	type SessionView,
} from "../../support/platform/session-steps.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const commit =
	'$ git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m "Add two files"';

async function told<T>(api: ApiClient, path: string): Promise<T> {
	const { status, body, text } = await api.get<T>(path);
	if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
	return body;
}

/** Resolves with the timeline when it has an entry with this label. */
function timelineWith(api: ApiClient, id: string, label: string, withinMs = 30_000): Promise<Timeline> {
	return eventually(
		async () => {
			const timeline = await told<Timeline>(api, `/chronicles/${id}/timeline`);
			return timeline.events.some((entry) => entry.label === label) ? timeline : undefined;
		},
		{ withinMs, everyMs: 50, what: `the timeline has "${label}"` },
	);
}

const isSaid = (member: unknown): boolean => member !== undefined;

function brief({ events }: Timeline): string[] {
	return events.map(({ type, label, action, exit }) => [type, label, action, exit].filter(isSaid).join(" "));
}

describe("chronicle", function () {
	this.timeout(120_000);
	let folder: string;
	let platform: TestPlatform;
	let api: ApiClient;
	let stream: SseClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-chronicle-"));
		platform = await startPlatform();
		api = platform.client();
		stream = await platform.events();
	});
	after(async () => {
		await stream?.close();
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	function eventsOf(name: string, id: string): Record<string, unknown>[] {
		const found = stream.events.filter(({ event, data }) => event === name && data.includes(id));
		return found.map(({ data }) => JSON.parse(data));
	}

	async function stopped(id: string): Promise<void> {
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
	}

	it("has an edit, a command and a commit, over REST and on the stream, and the changes from git at the end", async () => {
		const source = makeRepository(join(folder, "repository"));
		const { id } = await runningSession(api, fileUrl(source));
		await ask(api, id, "$ printf 'one\\ntwo\\n' > one.txt; echo more >> README.md; false");
		await ask(api, id, commit);
		await timelineWith(api, id, "Add two files");
		const timeline = await timelineWith(api, id, commit.slice(2));
		const [hash = ""] = git(platform.workspace(id), ["rev-parse", "HEAD"]).split("\n");
		const command = "printf 'one\\ntwo\\n' > one.txt; echo more >> README.md; false";
		expect(brief(timeline).slice(0, 4)).to.deep.equal([
			"session Session started",
			`terminal ${command} 1`,
			"file README.md modified",
			"file one.txt created",
		]);
		expect(brief(timeline))
			.to.include("git Add two files")
			.and.to.include(`terminal ${commit.slice(2)} 0`);
		expect(timeline.files).to.deep.equal([
			{ path: "README.md", status: "mod", ins: 1, del: 0 },
			{ path: "one.txt", status: "new", ins: 2, del: 0 },
		]);
		expect(timeline.commits.map(({ hash: short, msg }) => `${short} ${msg}`)).to.deep.equal([
			`${hash.slice(0, 7)} Add two files`,
		]);
		expect(timeline.token_burn).to.deep.equal([0]);

		const draft = await told<Chronicle>(api, `/sessions/${id}/chronicle`);
		expect(draft).to.include({ session_id: id, status: "draft", project: "repository", summary: null, branch: "main" });
		const since = performance.now();
		await stopped(id);
		console.log(`      stopped within ${Math.round(performance.now() - since)} ms`);
		const chronicle = await told<Chronicle>(api, `/sessions/${id}/chronicle`);
		expect(chronicle.id, "the draft was completed").to.equal(draft.id);
		expect(chronicle.key_changes).to.deep.equal([
			`${hash.slice(0, 7)} Add two files`,
			"Changed README.md (+1 -0)",
			"Added one.txt (+2 -0)",
		]);
		expect(chronicle.duration_seconds).to.be.within(0, 60);
		expect(chronicle.summary, "a shell cannot sum up").to.equal(null);

		const whole = await told<Timeline>(api, `/chronicles/${id}/timeline`);
		// The stream may be a moment later.
		await eventually(() => eventsOf("chronicle_event", id).length >= whole.events.length);
		await eventually(() => eventsOf("chronicle_updated", id).length > 0);
		expect(eventsOf("chronicle_event", id).map(({ event }) => event)).to.deep.equal(whole.events);
		expect(eventsOf("chronicle_event", id).at(-1)).to.deep.include({
			files: timeline.files,
			commits: timeline.commits,
		});
		expect(eventsOf("chronicle_created", id)).to.deep.equal([{ id: draft.id, session_id: id, status: "draft" }]);
		expect(eventsOf("chronicle_updated", id)[0]).to.deep.equal({ id: draft.id, session_id: id, status: "draft" });

		const raw = await told<SessionEvent[]>(api, `/sessions/${id}/events`);
		expect(raw.map(({ sequence }) => sequence)).to.deep.equal(raw.map((_event, index) => index));
		const types = raw.map(({ event_type }) => event_type);
		expect(types[0]).to.equal("session_start");
		expect(types.at(-1)).to.equal("session_stop");
		expect(types).to.include.members([
			"message_user",
			"message_assistant",
			"tool_use",
			"terminal_command",
			"file_created",
			"file_modified",
			"git_commit",
		]);
		const counts = await told<Record<string, number>>(api, `/sessions/${id}/events/counts`);
		expect(counts).to.include({
			message_user: 2,
			message_assistant: 2,
			terminal_command: 2,
			file_created: 1,
			git_commit: 1,
		});
		expect(await told(api, `/sessions/${id}/events/tokens`)).to.deep.equal([]);
	});

	it("loses no entry of the timeline when the pod is killed, and the next pod continues the same draft", async () => {
		const { id } = await runningSession(api);
		await ask(api, id, "$ echo one > one.txt");
		await timelineWith(api, id, "one.txt");
		const before = await told<Timeline>(api, `/chronicles/${id}/timeline`);
		for (const { pid, session } of platform.agents()) if (session === id) process.kill(pid, "SIGKILL");
		await eventually(async () => (await told<SessionView>(api, `/sessions/${id}`)).status === "failed", {
			withinMs: 15_000,
		});
		const draft = await told<Chronicle>(api, `/sessions/${id}/chronicle`);
		expect(draft.status).to.equal("draft");
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		await ask(api, id, "$ echo two > two.txt");
		const after = await timelineWith(api, id, "two.txt");
		expect(after.events.slice(0, before.events.length)).to.deep.equal(before.events);
		expect(brief(after)).to.include("session Session started again");
		expect((await told<Chronicle>(api, `/sessions/${id}/chronicle`)).id).to.equal(draft.id);
	});

	it("is delivered by the next launch when the platform could not be reached at the end", async () => {
		const { id } = await runningSession(api);
		await ask(api, id, "$ echo one > one.txt");
		const [agent] = platform.agents().filter(({ session }) => session === id);
		await platform.kill();
		process.kill(agent?.pid ?? expect.fail("no agent"), "SIGTERM");
		await eventually(() => platform.agents().every(({ session }) => session !== id), { withinMs: 20_000 });
		const spool = readFileSync(join(platform.dataDir, "sessions", id, "state/history.jsonl"), "utf8");
		expect(spool).to.include('"chronicle":{').and.to.include("session_stop");
		await platform.start();
		await sessionReaches(api, id, "failed").catch(() => {});
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		const chronicle = await eventually(
			async () => {
				const found = await told<Chronicle>(api, `/sessions/${id}/chronicle`);
				return found.key_changes.length > 0 ? found : undefined;
			},
			{ withinMs: 15_000 },
		);
		expect(chronicle.key_changes).to.deep.equal(["Added one.txt (+1 -0)"]);
		await stream.close();
		stream = await platform.events();
	});

	it("makes a session that can be started, whose chronicle has this one as its parent", async () => {
		const { id } = await runningSession(api, fileUrl(join(folder, "repository")));
		await ask(api, id, "$ echo one > one.txt");
		await timelineWith(api, id, "one.txt");
		const parent = await told<Chronicle>(api, `/sessions/${id}/chronicle`);
		const { status, body: reforged } = await api.post<SessionView>(`/chronicles/${parent.id}/reforge`);
		expect([status, reforged.status, reforged.name, reforged.generation]).to.deep.equal([
			200,
			"created",
			"test-reforged",
			0,
		]);
		const headers = { "idempotency-key": "again" };
		const [one, other] = [
			await api.post<SessionView>(`/chronicles/${parent.id}/reforge`, undefined, { headers }),
			await api.post<SessionView>(`/chronicles/${parent.id}/reforge`, undefined, { headers }),
		];
		expect(other.body).to.deep.equal(one.body);
		expect((await api.post(`/sessions/${reforged.id}/stop`)).status).to.equal(409);
		await api.post(`/sessions/${reforged.id}/start`);
		await sessionReaches(api, reforged.id, "running");
		await timelineWith(api, reforged.id, "Session started");
		const child = await told<Chronicle>(api, `/sessions/${reforged.id}/chronicle`);
		expect(child).to.include({ parent_chronicle_id: parent.id, repo: parent.repo });
		const chain = await told<Chronicle[]>(api, `/chronicles/${child.id}/chain`);
		expect(chain.map((link) => link.id)).to.deep.equal([parent.id, child.id]);
		expect((await api.delete(`/chronicles/${parent.id}`)).status).to.equal(204);
		expect((await api.get(`/chronicles/${parent.id}`)).status).to.equal(404);
		expect(await told(api, `/chronicles/${child.id}/chain`)).to.have.length(1);
		await stream.event(({ event, data }) => event === "chronicle_deleted" && data.includes(parent.id));
	});

	it("outlives its session, unless the deletion includes it", async () => {
		const kept = await createSession(api, "", "kept");
		const gone = await createSession(api, "", "gone");
		for (const { id } of [kept, gone]) {
			await sessionReaches(api, id, "running");
			await timelineWith(api, id, "Session started");
		}
		const ids = await Promise.all(
			[kept, gone].map(async ({ id }) => (await told<Chronicle>(api, `/sessions/${id}/chronicle`)).id),
		);
		await api.delete(`/sessions/${kept.id}`);
		await api.delete(`/sessions/${gone.id}`, { body: { cleanup: ["chronicles"] } });
		const orphan = await eventually(
			async () => {
				const found = await told<Chronicle>(api, `/chronicles/${ids[0]}`);
				return found.session_id === null ? found : undefined;
			},
			{ withinMs: 30_000, what: "the chronicle has no session any more" },
		);
		expect(orphan.config_snapshot).to.include({ name: "kept" });
		await eventually(async () => (await api.get(`/chronicles/${ids[1]}`)).status === 404, { withinMs: 30_000 });
		expect((await api.get(`/chronicles/${kept.id}/timeline`)).status).to.equal(404);
		const { body: again, status } = await api.post<SessionView>(`/chronicles/${orphan.id}/reforge`);
		expect([status, again.name]).to.deep.equal([200, "kept-reforged"]);
	});

	it("accepts reports of the session's present pod, and of no other one", async () => {
		const { id } = await runningSession(api);
		await stopped(id);
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running");
		const other = await createSession(api, "", "other");
		const key = openInstallationKey(platform.dataDir, "");
		const as = (session: string, generation: number) =>
			platform.client({ authorization: `Bearer ${key.podToken(session, generation)}` });
		const entry = { t: 1, type: "error", label: "from a pod" };
		const event = { session_id: id, event_type: "error", timestamp: "2026-11-20T20:00:00Z", sequence: 0 };
		const statuses = async (client: ApiClient) => [
			(await client.post(`/sessions/${id}/chronicle`, { summary: "late" })).status,
			(await client.post(`/chronicles/${id}/timeline`, entry)).status,
			(await client.post("/events", event)).status,
			(await client.post("/events/batch", { events: [event] })).status,
			(
				await client.post(`/sessions/${id}/history`, {
					n: 1_000,
					timeline: [{ ...entry, t: undefined, at: event.timestamp }],
				})
			).status,
		];
		expect(await statuses(as(id, 2)), "the present launch").to.deep.equal([201, 201, 201, 201, 204]);
		expect(await statuses(as(id, 1)), "an older launch").to.deep.equal([409, 409, 409, 409, 409]);
		expect(await statuses(as(other.id, 1)), "another session").to.deep.equal([404, 404, 404, 404, 404]);
		expect((await as(id, 2).get(`/sessions/${id}/chronicle`)).status, "pods tell and do not ask").to.equal(403);
		await api.delete(`/sessions/${other.id}`);
	});

	for (const failpoint of ["chronicles.written", "timelines.written", "sessions.history-written"]) {
		it(`has every entry once although the platform is killed at "${failpoint}"`, async () => {
			await using crashing = await startPlatform();
			const client = crashing.client();
			await crashing.stop();
			crashing.processes = [crashing.startProcess([], { ATELIER_FAILPOINTS: `${failpoint}=kill` })];
			await crashing.ready();
			const { id } = await createSession(client);
			await eventually(() => crashing.processes.every(({ hasEnded }) => hasEnded), {
				withinMs: 20_000,
				what: failpoint,
			});
			await crashing.start();
			await using events = await crashing.events({ lastEventId: "other-1" });
			await sessionReaches(client, id, "running");
			await ask(client, id, "$ echo one > one.txt");
			const timeline = await timelineWith(client, id, "one.txt");
			expect(brief(timeline).filter((one) => one === "session Session started")).to.have.length(1);
			const { status } = await client.post(`/sessions/${id}/stop`);
			expect(status).to.equal(200);
			await sessionReaches(client, id, "stopped");
			const whole = await told<Timeline>(client, `/chronicles/${id}/timeline`);
			expect(whole.events.filter(({ type }) => type === "message")).to.have.length(1);
			expect(whole.files).to.deep.equal([{ path: "one.txt", status: "new", ins: 1, del: 0 }]);
			const raw = await told<SessionEvent[]>(client, `/sessions/${id}/events`);
			expect(raw.map(({ sequence }) => sequence)).to.deep.equal(raw.map((_one, index) => index));
			expect(await told<Chronicle[]>(client, "/chronicles")).to.have.length(1);
			const streamed = events.events
				.filter(({ event }) => event === "chronicle_event")
				.map(({ data }) => JSON.parse(data).event);
			expect(whole.events, "each event of the stream stands in the timeline").to.deep.include.members(streamed);
		});
	}
});
