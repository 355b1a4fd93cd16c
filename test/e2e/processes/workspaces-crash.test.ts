/**
 * kill -9 in the middle of each change of a workspace: what was acknowledged is there, no session has lost its files or
 * shares them, and no file is left of what was deleted.
 * Long: it kills and starts the platform a dozen times.
 */
import { expect } from "chai";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { Answer } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { killedAt } from "../../support/killed-at.ts";
import { ask, runningSession, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const withinMs = 60_000;

describe("kill -9 in the middle of the life of a workspace", function () {
	this.timeout(300_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform();
	});
	after(() => platform?.[Symbol.asyncDispose]());

	const api = () => platform.client();

	/** Sends a request in whose course the platform dies, and starts the platform again. */
	const killedIn = (point: string, send: () => Promise<unknown>) => killedAt(platform, point, send, withinMs);

	async function reaches(id: string, status: string): Promise<WorkspaceView> {
		const there = async () => {
			const { body } = await api().get<WorkspaceView>(`/workspaces/${id}`);
			return body.status === status ? body : undefined;
		};
		return eventually(there, { withinMs, what: `workspace ${id} is ${status}` });
	}

	function create(body: object, key: string): Promise<Answer<SessionView>> {
		const headers = { "idempotency-key": key };
		return api().request<SessionView>("POST", "/sessions", { headers, body: { name: "s", ...body } });
	}

	/** Nothing is left on the disk and in the lists. */
	async function nothingLeft(): Promise<void> {
		const folder = join(platform.dataDir, "sessions");
		const isEmpty = async () =>
			(await api().get<WorkspaceView[]>("/workspaces")).body.length === 0 &&
			(await api().get<WorkspaceView[]>("/workspaces?status=deleted")).body.length === 0 &&
			(!existsSync(folder) || readdirSync(folder).every((name) => name === ".trash"));
		await eventually(isEmpty, { withinMs, what: "nothing is left" });
	}

	it("keeps the files when a session is deleted, and gives them to one session", async () => {
		const { id } = await runningSession(api());
		await ask(api(), id, "$ echo kept > file.txt");
		await killedIn("workspaces.released", () => api().delete(`/sessions/${id}`));
		await reaches(id, "archived");
		await killedIn("workspaces.reserved", () => create({ workspace_id: id }, "the-same"));
		const second = await create({ workspace_id: id }, "the-same");
		expect(second.status, second.text).to.equal(201);
		expect((await create({ workspace_id: id }, "another")).status).to.equal(409);
		await sessionReaches(api(), second.body.id, "running", withinMs);
		expect(await ask(api(), second.body.id, "$ cat file.txt")).to.include("kept");
		await killedIn("workspaces.settled", () => api().post(`/sessions/${second.body.id}/archive`));
		await reaches(id, "archived");
		await killedIn("workspaces.held", async () => {
			await api().post(`/sessions/${second.body.id}/restore`);
			await api().post(`/sessions/${second.body.id}/start`);
		});
		await sessionReaches(api(), second.body.id, "running", withinMs);
		expect(await ask(api(), second.body.id, "$ cat file.txt")).to.include("kept");
		await api().delete(`/sessions/${second.body.id}`, { body: { cleanup: ["workspace_storage"] } });
		await nothingLeft();
	});

	for (const point of ["workspaces.deleted", "workspaces.before-removal", "workspaces.files-removed"]) {
		it(`removes the files of a deleted workspace, killed at ${point}`, async () => {
			const { id } = await runningSession(api());
			await api().delete(`/sessions/${id}`);
			await reaches(id, "archived");
			await killedIn(point, () => api().delete(`/workspaces/${id}`));
			await eventually(async () => (await api().get(`/workspaces/${id}`)).status === 404, { withinMs });
			await nothingLeft();
		});
	}

	it("removes the files of a deleted session, killed before its workspace was given up", async () => {
		const { id } = await runningSession(api());
		const body = { cleanup: ["workspace_storage"] };
		await killedIn("workspaces.released", () => api().delete(`/sessions/${id}`, { body }));
		await nothingLeft();
	});

	it("restores an archived workspace once, killed before the answer", async () => {
		const { id } = await runningSession(api());
		await api().delete(`/sessions/${id}`);
		await reaches(id, "archived");
		const headers = { "idempotency-key": "restored" };
		const restore = () => api().request<WorkspaceView>("POST", `/workspaces/${id}/restore`, { headers });
		await killedIn("workspaces.written", restore);
		const again = await restore();
		expect([again.status, again.body.status]).to.deep.equal([200, "active"]);
		expect((await api().post(`/workspaces/${id}/restore`)).status).to.equal(409);
		expect((await api().delete(`/workspaces/${id}`)).status).to.equal(204);
		await nothingLeft();
	});
});
