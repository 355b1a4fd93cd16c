/** Plants values in everything that a person can write, so that a test can look for them where they must not be. */
import { expect } from "chai";
import type { ApiClient } from "../clients/api-client.ts";
import { eventually } from "../eventually.ts";

interface Made {
	id: string;
}

/** Sends requests with canaries, right and wrong ones; returns the canaries. What it has made is gone afterwards. */
export async function plantCanaries(api: ApiClient): Promise<string[]> {
	const planted: string[] = [];
	const canary = (where: string): string => {
		const value = `canary-${planted.length}-${where}`;
		planted.push(value);
		return value;
	};
	await plantInSession(api, canary);
	await plantInPrompts(api, canary);
	await plantInRefusals(api, canary);
	return planted;
}

type Canary = (where: string) => string;

async function plantInSession(api: ApiClient, canary: Canary): Promise<void> {
	const made = await api.post<Made>("/sessions", {
		name: canary("name"),
		system_prompt: canary("system-prompt"),
		initial_prompt: canary("initial-prompt"),
		source: { type: "git", repo: "", branch: canary("branch") },
	});
	expect(made.status, made.text).to.equal(201);
	const path = `/sessions/${made.body.id}`;
	await api.put(path, { name: canary("new-name"), tracker_issue_id: canary("issue") });
	await api.post(`${path}/messages`, { content: canary("message") });
	await api.post(`${path}/usage`, {
		tokens: 1,
		provider: "local",
		model: canary("model"),
		report_id: canary("report"),
	});
	await api.post(`${path}/activity`, { state: "idle", metadata: { note: canary("activity") } });
	const { body: chronicle } = await api.post<Made>(`${path}/chronicle`, {
		summary: canary("summary"),
		key_changes: [canary("change")],
		unfinished_work: canary("unfinished"),
	});
	await api.request("PATCH", `/chronicles/${chronicle.id}`, {
		body: { tags: [canary("tag")], summary: canary("edit") },
	});
	await api.post(`/chronicles/${made.body.id}/timeline`, { t: 1, type: "message", label: canary("label") });
	const event = { session_id: made.body.id, event_type: "error", timestamp: "2026-11-20T20:00:00Z", sequence: 0 };
	await api.post("/events", { ...event, data: { text: canary("event") } });
	await api.get(`${path}/diff`, { query: { file: canary("file") } });
	await api.get(`${path}/logs`, { query: { level: canary("level") } });
	await api.delete(path, { body: { cleanup: ["workspace_storage", "chronicles"] } });
	const isGone = async () => (await api.get<unknown[]>("/workspaces")).body.length === 0;
	await eventually(isGone, { withinMs: 60_000, everyMs: 100, what: "the session's workspace is removed" });
}

async function plantInPrompts(api: ApiClient, canary: Canary): Promise<void> {
	const made = await api.post<Made>("/prompts", {
		name: canary("prompt"),
		content: canary("content"),
		tags: [canary("prompt-tag")],
		scope: "project",
		project_repo: `https://git.example/${canary("repo")}`,
	});
	expect(made.status, made.text).to.equal(201);
	await api.put(`/prompts/${made.body.id}`, { content: canary("new-content") });
	await api.get("/prompts/search", { query: { q: canary("search") } });
	await api.delete(`/prompts/${made.body.id}`);
}

/** Refused requests are logged more than others. A secret among them leaves nothing behind. */
async function plantInRefusals(api: ApiClient, canary: Canary): Promise<void> {
	const wrong: (() => Promise<{ status: number }>)[] = [
		() =>
			api.post("/sessions", {
				name: canary("a"),
				source: { type: "git", repo: `https://x:${canary("password")}@git.example/a` },
			}),
		() => api.post("/sessions", { name: canary("b"), template_name: canary("template") }),
		() => api.post("/sessions", `{"name": "${canary("half-json")}`),
		() => api.post("/sessions", { name: "x" }, { headers: { "idempotency-key": `${canary("key")}!` } }),
		() => api.post("/secrets", { name: `Not ${canary("secret-name")}`, data: { token: canary("secret") } }),
		() => api.post("/secrets", { name: "wrong", data: { [`a ${canary("secret-key")}`]: canary("value") } }),
		() =>
			api.post("/prompts", {
				name: "x",
				content: "x",
				scope: "project",
				project_repo: `https://u:${canary("p")}@git.example`,
			}),
		() => api.get(`/sessions/${canary("id")}`),
		() => api.get(`/mcp-servers/${canary("server")}`),
		() => api.get("/models", { headers: { authorization: `Bearer ${canary("bearer")}` } }),
		() => api.get("/models", { headers: { authorization: `Basic ${canary("basic")}` } }),
		() => api.get(`/${canary("path")}`, { query: { access_token: canary("query") } }),
		() => api.get("/chronicles", { query: { cursor: canary("cursor") } }),
		() => api.put("/features/preferences", { preferences: [{ feature_key: canary("feature") }] }),
		() => api.post(`/budgets/users/${canary("user")}/corrections`, { amount: "x", reason: canary("reason") }),
	];
	for (const send of wrong) {
		const { status } = await send();
		expect(status).to.be.within(400, 499);
	}
}
