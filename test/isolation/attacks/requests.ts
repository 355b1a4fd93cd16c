/** Floods and malformed requests. */
import { randomUUID } from "node:crypto";
import { createSession, runningSession } from "../../support/platform/session-steps.ts";
import { type Attack, atOnce } from "../attack.ts";

const deep = `${'{"name":'.repeat(10_000)}1${"}".repeat(10_000)}`;

export const requestAttacks: readonly Attack[] = [
	{
		name: "huge-events",
		finding: "C1",
		does: "reports activity with metadata of 60 KB and of 900 KB",
		async begin({ api }) {
			const { id } = await createSession(api);
			return () =>
				atOnce(8, (i) => {
					const metadata = { text: "x".repeat(i % 2 ? 60_000 : 900_000) };
					return api.post(`/sessions/${id}/activity`, { state: "thinking", metadata });
				});
		},
	},
	{
		name: "puts",
		finding: "H4",
		does: "250 simultaneous PUTs of one session",
		async begin({ api }) {
			const { id } = await createSession(api);
			return () => atOnce(250, (i) => api.put(`/sessions/${id}`, { name: `n${i}` }));
		},
	},
	{
		name: "chronicles",
		finding: "H4",
		does: "250 simultaneous reports to one chronicle",
		async begin({ api }) {
			const { id } = await createSession(api);
			return () => atOnce(250, (i) => api.post(`/sessions/${id}/chronicle`, { summary: `s${i}` }));
		},
	},
	{
		name: "content-type",
		finding: "M1",
		does: "15,000 blanks in Content-Type, 16 requests at once",
		async begin({ api }) {
			const headers = { "content-type": `application/json${" ".repeat(15_000)};x` };
			return () => atOnce(16, () => api.request("POST", "/sessions", { body: "{}", headers }));
		},
	},
	{
		name: "bodies",
		does: "bodies of 64 KB, 32 at once",
		async begin({ api }) {
			const body = { name: "n", initial_prompt: "x".repeat(60_000), source: { type: "git", repo: "none" } };
			return () => atOnce(32, () => api.post("/sessions", body));
		},
	},
	{
		name: "deep-json",
		does: "JSON of 10,000 levels, 32 at once",
		begin:
			async ({ api }) =>
			() =>
				atOnce(32, () => api.post("/sessions", deep)),
	},
	{
		name: "idempotency-keys",
		finding: "H6",
		does: "keyed commands, each with a key of its own, 32 at once",
		async begin({ api }) {
			const { id } = await createSession(api);
			const body = { state: "thinking", metadata: {} };
			return () =>
				atOnce(32, () => api.post(`/sessions/${id}/activity`, body, { headers: { "idempotency-key": randomUUID() } }));
		},
	},
	{
		name: "cursors",
		does: "lists from cursors that are none, 64 at once",
		begin:
			async ({ api }) =>
			() =>
				atOnce(64, (i) =>
					api.get("/sessions", { query: { cursor: Buffer.from(`${i}`.repeat(i)).toString("base64url") } }),
				),
	},
	{
		name: "usage",
		finding: "H5",
		does: "reports a use of 1,000,000 $ of a model nobody knows",
		async begin({ api }) {
			const { id } = await createSession(api);
			const report = { tokens: 1_000_000, provider: "cloud", model: "nobody-knows", cost: 1_000_000 };
			return () => atOnce(8, () => api.post(`/sessions/${id}/usage`, { ...report, report_id: randomUUID() }));
		},
	},
	{
		name: "messages",
		does: "messages of 30 KB to one session, 64 at once",
		async begin({ api }) {
			const { id } = await runningSession(api);
			return () => atOnce(64, () => api.post(`/sessions/${id}/messages`, { content: "x".repeat(30_000) }));
		},
	},
];
