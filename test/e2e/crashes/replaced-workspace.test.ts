/**
 * kill -9 at the start of a session whose workspace was deleted, between its new workspace and the start: the session gets one
 * workspace, and the one that nobody uses is removed. It is apart from the other rows of workspaces, because it takes long.
 * Night: it waits until a workspace without a session is removed, which is after a minute.
 */
import { expect } from "chai";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { testCrashes } from "../../support/crash-rows.ts";
import { eventually } from "../../support/eventually.ts";
import { runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const withinMs = 120_000;

describe("kill -9 while a session gets a new workspace", function () {
	this.timeout(300_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let id: string;

	before(async () => {
		platform = await startPlatform();
		api = platform.client();
	});
	after(() => platform?.[Symbol.asyncDispose]());

	const workspaces = async () => (await api.get<WorkspaceView[]>("/workspaces")).body.map(({ status }) => status);
	const hasLeft = (...left: string[]) =>
		eventually(async () => JSON.stringify(await workspaces()) === JSON.stringify(left), {
			withinMs,
			what: `the workspaces are ${left.join(" and ") || "gone"}`,
		});

	testCrashes(
		() => platform,
		[
			{
				change: "the start of a session without its workspace",
				point: "workspaces.replaced",
				given: async () => {
					({ id } = await runningSession(api));
					await api.post(`/sessions/${id}/archive`);
					await hasLeft("archived");
					expect((await api.delete(`/workspaces/${id}`)).status).to.equal(204);
					await api.post(`/sessions/${id}/restore`);
				},
				send: () => api.post(`/sessions/${id}/start`),
				mayAnswer: true,
				allows: async () => {
					expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
					await sessionReaches(api, id, "running", withinMs);
					await hasLeft("active");
					await api.delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
					await hasLeft();
				},
			},
		],
	);
});
