/**
 * kill -9 at the start of a session whose workspace was deleted, between its new workspace and the start: the session gets one
 * workspace, and the one that nobody uses is removed.
 * Night: it waits until a workspace without a session is removed, which is after a minute.
 */
import { expect } from "chai";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import { eventually } from "../../support/eventually.ts";
import { killedAt } from "../../support/killed-at.ts";
import { runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

const withinMs = 120_000;

describe("kill -9 while a session gets a new workspace", function () {
	this.timeout(300_000);

	it("leaves the session with one workspace", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		const workspaces = async () => (await api.get<WorkspaceView[]>("/workspaces")).body.map(({ status }) => status);
		const hasLeft = async (...left: string[]) =>
			eventually(async () => JSON.stringify(await workspaces()) === JSON.stringify(left), {
				withinMs,
				what: `the workspaces are ${left.join(" and ") || "gone"}`,
			});

		await api.post(`/sessions/${id}/archive`);
		await hasLeft("archived");
		expect((await api.delete(`/workspaces/${id}`)).status).to.equal(204);
		await api.post(`/sessions/${id}/restore`);
		await killedAt(platform, "workspaces.replaced", () => api.post(`/sessions/${id}/start`), withinMs);

		expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
		await sessionReaches(api, id, "running", withinMs);
		await hasLeft("active");
		await api.delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
		await hasLeft();
	});
});
