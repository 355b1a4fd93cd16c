/**
 * kill -9 in the middle of each change of a workspace: what was acknowledged is there, no session has lost its files or
 * shares them, and no file is left of what was deleted.
 * Night: it kills and starts the platform a dozen times.
 */
import { expect } from "chai";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type CrashRow, testCrashes } from "../../support/crash-rows.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, runningSession, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const withinMs = 60_000;
const cleanup = { body: { cleanup: ["workspace_storage"] } };

describe("kill -9 in the middle of the life of a workspace", function () {
	this.timeout(300_000);
	let platform: TestPlatform;
	let api: ApiClient;
	/** The workspace of the present rows, and its first session. */
	let id: string;
	/** The second session of the workspace. */
	let second: string;

	before(async () => {
		platform = await startPlatform();
		api = platform.client();
	});
	after(() => platform?.[Symbol.asyncDispose]());

	const running = async () => {
		({ id } = await runningSession(api));
	};
	const archived = () =>
		eventually(async () => (await api.get<WorkspaceView>(`/workspaces/${id}`)).body.status === "archived", {
			withinMs,
			what: `workspace ${id} is archived`,
		});
	const archivedOne = async () => {
		await running();
		await api.delete(`/sessions/${id}`);
		await archived();
	};
	const create = (key: string) =>
		api.post<SessionView>("/sessions", { name: "s", workspace_id: id }, { headers: { "idempotency-key": key } });
	const hasKept = async () => {
		await sessionReaches(api, second, "running", withinMs);
		expect(await ask(api, second, "$ cat file.txt")).to.include("kept");
	};
	const restore = () =>
		api.post<WorkspaceView>(`/workspaces/${id}/restore`, undefined, { headers: { "idempotency-key": "restored" } });

	/** Nothing is left on the disk and in the lists. */
	async function nothingLeft(): Promise<void> {
		const folder = join(platform.dataDir, "sessions");
		const isEmpty = async () =>
			(await api.get<WorkspaceView[]>("/workspaces")).body.length === 0 &&
			(await api.get<WorkspaceView[]>("/workspaces?status=deleted")).body.length === 0 &&
			(!existsSync(folder) || readdirSync(folder).every((name) => name === ".trash"));
		await eventually(isEmpty, { withinMs, what: "nothing is left" });
	}

	const keptRows: readonly CrashRow[] = [
		{
			change: "the deletion of a session without its files",
			point: "workspaces.released",
			given: async () => {
				await running();
				await ask(api, id, "$ echo kept > file.txt");
			},
			send: () => api.delete(`/sessions/${id}`),
			mayAnswer: true,
			shows: archived,
		},
		{
			change: "the creation of a session with these files",
			point: "workspaces.reserved",
			send: () => create("the-same"),
			mayAnswer: true,
			allows: async () => {
				const { status, body, text } = await create("the-same");
				expect(status, text).to.equal(201);
				second = body.id;
				expect((await create("another")).status).to.equal(409);
				await hasKept();
			},
		},
		{
			change: "the archiving of that session",
			point: "workspaces.settled",
			send: () => api.post(`/sessions/${second}/archive`),
			mayAnswer: true,
			shows: archived,
		},
		{
			change: "the restoration of that session",
			point: "workspaces.held",
			send: async () => {
				await api.post(`/sessions/${second}/restore`);
				await api.post(`/sessions/${second}/start`);
			},
			mayAnswer: true,
			allows: async () => {
				await hasKept();
				await api.delete(`/sessions/${second}`, cleanup);
				await nothingLeft();
			},
		},
	];

	const points = ["workspaces.deleted", "workspaces.before-removal", "workspaces.files-removed"];
	const deletedRows = points.map(
		(point): CrashRow => ({
			change: "the deletion of a workspace",
			point,
			given: archivedOne,
			send: () => api.delete(`/workspaces/${id}`),
			mayAnswer: true,
			allows: async () => {
				await eventually(async () => (await api.get(`/workspaces/${id}`)).status === 404, { withinMs });
				await nothingLeft();
			},
		}),
	);

	testCrashes(
		() => platform,
		[
			...keptRows,
			...deletedRows,
			{
				change: "the deletion of a session with its files",
				point: "workspaces.released",
				given: running,
				send: () => api.delete(`/sessions/${id}`, cleanup),
				mayAnswer: true,
				allows: nothingLeft,
			},
			{
				change: "the restoration of an archived workspace",
				point: "workspaces.written",
				given: archivedOne,
				send: restore,
				mayAnswer: true,
				allows: async () => {
					const again = await restore();
					expect([again.status, again.body.status]).to.deep.equal([200, "active"]);
					expect((await api.post(`/workspaces/${id}/restore`)).status).to.equal(409);
					expect((await api.delete(`/workspaces/${id}`)).status).to.equal(204);
					await nothingLeft();
				},
			},
		],
	);
});
