/** Many sessions: they fail, are created and deleted, or wait for others. */
import { eventually } from "../../support/eventually.ts";
import { createSession, type SessionView } from "../../support/platform/session-steps.ts";
import { startStallingRepository } from "../../support/repositories/stalling-repository.ts";
import { type Attack, type AttackTestbed, atOnce } from "../attack.ts";

const crowd = 200;

/** Sessions of a repository that does not exist. */
async function failedSessions({ api, folder }: AttackTestbed): Promise<void> {
	const source = { type: "git", repo: `file://${folder}/${"none".repeat(100)}` };
	await atOnce(crowd, (i) => api.post("/sessions", { name: `f${i}`, source }));
	const isOver = async () => {
		const { body } = await api.get<SessionView[]>("/sessions", { query: { limit: 500 } });
		return body.length > 0 && body.every(({ status }) => status === "failed");
	};
	await eventually(isOver, { withinMs: 540_000, everyMs: 1_000, what: "all sessions have failed" });
}

export const sessionAttacks: readonly Attack[] = [
	{
		name: "lists",
		finding: "M2",
		does: `lists of ${crowd} failed sessions, 16 at once`,
		async begin(testbed) {
			await failedSessions(testbed);
			return () => atOnce(16, () => testbed.api.get("/sessions", { query: { limit: 500 } }));
		},
	},
	{
		name: "archive-stopped",
		finding: "M13",
		does: `archives ${crowd} failed sessions, 8 requests at once`,
		async begin(testbed) {
			await failedSessions(testbed);
			return () => atOnce(8, () => testbed.api.post("/sessions/archive-stopped"));
		},
	},
	{
		name: "failing-sessions",
		does: "starts sessions of a repository that is not there, 16 at once",
		async begin({ api, folder }) {
			const source = { type: "git", repo: `file://${folder}/none` };
			return () => atOnce(16, (i) => api.post("/sessions", { name: `f${i}`, source }));
		},
	},
	{
		name: "start-and-delete",
		does: "makes sessions and deletes them at once, 8 side by side",
		async begin({ api }) {
			return () =>
				atOnce(8, async () => {
					const { id } = await createSession(api);
					await api.delete(`/sessions/${id}`);
				});
		},
	},
	{
		name: "stalling-git",
		does: "40 sessions of a git server that never answers",
		async begin({ api, folder }) {
			const { url } = await startStallingRepository(`${folder}/repository`);
			let left = 40;
			return async () => {
				if (left-- > 0) await createSession(api, url);
			};
		},
	},
];
