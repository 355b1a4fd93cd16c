/**
 * The table of the proof of access: one row for each route. A route without a row fails `npm test`; what a row may say
 * stands in row.ts. Rows that change the state of the session stand last.
 */
import {
	administrated,
	administrators,
	everybody,
	loggedIn,
	own,
	people,
	pods,
	reporters,
	type Row,
	signed,
	those,
} from "./row.ts";

const time = "2026-11-20T20:00:00Z";
const repository = { repo_url: "https://git.invalid/org/repo" };

/** An id that no tenant and no person has: on a platform in use, an administrator would really remove what has it. */
const unreal = "doctor-6d1f0b52-has-no-such-one";

function event(session_id: string): object {
	return { session_id, event_type: "error", timestamp: time, sequence: 0 };
}

/** The rows by method and path, as contracts write them. */
export const rows: Readonly<Record<string, Row>> = {
	"GET /agents": people(),
	"GET /auth/config": everybody(),
	"GET /feature-flags": people(),
	"GET /features": people(),
	"PUT /features/:key/toggle": administrators({
		path: { key: "logs" },
		body: { enabled: false },
		harmless: { enabled: "no" },
		reaches: "tenant",
	}),
	"GET /features/preferences": people(),
	"PUT /features/preferences": people({
		body: { preferences: [{ feature_key: "logs" }] },
		harmless: { preferences: "none" },
		reaches: "person",
	}),
	"GET /mcp-servers": people(),
	"GET /mcp-servers/:name": people({ path: { name: "none" } }),
	"GET /models": people(),
	"GET /resources": people({ volatile: true }),
	"GET /templates": people(),
	"GET /templates/:name": people({ path: { name: "none" } }),
	"GET /stats": people({ volatile: true }),
	"GET /admin/audit": administrators({ volatile: true, namesObjects: true }),
	"GET /admin/audit/export": administrators({ volatile: true, namesObjects: true }),
	"GET /admin/settings": administrators(),
	"PUT /admin/settings": administrators({
		body: { storage: { home_enabled: false } },
		harmless: {},
		reaches: "tenant",
	}),

	"GET /budgets": people(),
	"PUT /budgets/tenant": administrators({ body: { limit: 500 }, harmless: { limit: "all" }, reaches: "tenant" }),
	"DELETE /budgets/tenant": administrators({ reaches: "tenant" }),
	"GET /budgets/users/:user_id": administrators(),
	"PUT /budgets/users/:user_id": administrators({
		body: { limit: 500 },
		harmless: { limit: "all" },
		reaches: "tenant",
	}),
	"DELETE /budgets/users/:user_id": administrators({ reaches: "tenant" }),
	"POST /budgets/users/:user_id/corrections": administrators({
		body: { amount: 1, reason: "proof" },
		harmless: { amount: "all" },
		reaches: "tenant",
	}),

	"GET /prompts": people(),
	"GET /prompts/search": people({ query: { q: "doctor" } }),
	"POST /prompts": people({ body: { name: 1 } }),
	"PUT /prompts/:id": those("prompt", { body: { tags: ["proof"] } }),
	"DELETE /prompts/:id": those("prompt", { action: "delete", consumes: true }),

	"GET /tracker/status": people({ volatile: true }),
	"GET /tracker/issues": people({ query: { q: "doctor" } }),
	"GET /tracker/issues/recent": people({ query: { project_id: "doctor" } }),
	"PATCH /tracker/issues/:id": people({ path: { id: unreal }, body: { status: 1 } }),
	"GET /tracker/mappings": people(),
	"POST /tracker/mappings": people({ body: { repo_url: 1 } }),
	"DELETE /tracker/mappings/:id": those("mapping", { consumes: true }),
	"GET /issues/search": people({ query: { q: "doctor" } }),
	"GET /issues/:issue_id": people({ path: { issue_id: unreal } }),
	"POST /issues/:issue_id/status": people({ path: { issue_id: unreal }, body: { status: 1 } }),

	"GET //api/v1/users/tokens": loggedIn({ volatile: true }),
	"POST //api/v1/users/tokens": loggedIn({ effect: "read", body: { name: 1 } }),
	"DELETE //api/v1/users/tokens/:pat_id": own("token", { effect: "read", consumes: true }),

	"GET /me": people(),
	"GET /users": administrators(),
	// The administrators of every tenant may do it for a person who is a member there.
	"POST /users/:user_id/reprovision": administrators({ path: { user_id: unreal } }),
	"GET /tenants": people(),
	"POST /tenants": administrators({ body: { name: 1 } }),
	"GET /tenants/:tenant_id": those("tenant"),
	"PUT /tenants/:tenant_id": administrated("tenant", { action: "set-quotas", body: {} }),
	// An operator who tried it on the real one would end the tenant of all callers.
	"DELETE /tenants/:tenant_id": administrators({ path: { tenant_id: unreal } }),
	"GET /tenants/:tenant_id/members": those("tenant"),
	"POST /tenants/:tenant_id/members": administrated("tenant", { body: { user_id: unreal } }),
	"DELETE /tenants/:tenant_id/members/:user_id": administrated("tenant", { path: { user_id: unreal } }),
	"POST /tenants/:tenant_id/reprovision": administrated("tenant", { reaches: "tenant" }),

	"GET /presets": people(),
	"POST /presets": people({ body: { name: 1 } }),
	"GET /presets/:preset_id": those("preset"),
	"PUT /presets/:preset_id": those("preset", { body: { description: "proof" } }),
	"DELETE /presets/:preset_id": those("preset", { consumes: true }),
	"GET /profiles": people(),
	"POST /profiles": people({ body: { name: 1 } }),
	"GET /profiles/:profile_name": those("profile"),
	"PUT /profiles/:profile_name": those("profile", { body: { description: "proof" } }),
	"DELETE /profiles/:profile_name": those("profile", { consumes: true }),

	"GET /secrets": people(),
	"POST /secrets": people({ body: { name: 1 } }),
	"GET /secrets/:name": those("secret"),

	"GET /credentials/types": people(),
	"GET /credentials": people(),
	"POST /credentials": people({ body: { name: 1 } }),
	"GET /credentials/:name": those("credential"),
	"DELETE /credentials/:name": those("credential", { consumes: true }),
	"GET /credentials/tenant/list": administrators(),
	"POST /credentials/tenant": administrators({
		body: { name: "proof", data: { token: "x" } },
		harmless: { name: 1 },
		reaches: "tenant",
	}),
	"DELETE /credentials/tenant/:name": administrators({ path: { name: "proof" }, reaches: "tenant" }),

	"GET /integrations/catalog": people(),
	"GET /integrations": people(),
	"GET /integrations/oauth/:slug/authorize": people({ path: { slug: "none" }, effect: "write" }),
	"GET /integrations/oauth/callback": everybody({ query: { state: "none", code: "none" } }),
	"POST /integrations/oauth/:slug/disconnect": people({ path: { slug: "none" } }),
	"POST /integrations": people({ body: { integration_type: 1 } }),
	"PUT /integrations/:id": those("connection", { body: { enabled: false } }),
	"POST /integrations/:id/test": those("connection", { volatile: true }),
	"DELETE /integrations/:id": those("connection", { consumes: true }),
	"POST /repos/confidence": people({ body: { tests_pass: 1 } }),
	"GET /repos/confidence": people(),
	"GET /repos/confidence/calibration": people({ volatile: true }),
	"GET /repos/confidence/:evaluation_id": those("evaluation"),
	"POST /webhooks/:provider": signed({ path: { provider: unreal }, body: { zen: "proof" } }),

	"GET /workspaces": people(),
	"GET /admin/workspaces": administrators(),
	"GET /workspaces/:id": those("workspace"),

	"GET /providers": people(),
	"GET /repos/providers": people(),
	"GET /repos": people(),
	"GET //api/v1/niuu/repos": people(),
	"GET /repos/branches": people({ query: repository }),
	"GET /repos/validate": people({ query: repository }),
	"GET /repos/:provider/orgs/:org": people({ path: { provider: unreal, org: "none" } }),
	"GET /repos/prs": people({ query: repository }),
	"POST /repos/prs": those("session", {
		body: (session_id) => ({ session_id, repo: unreal }),
	}),
	"GET /repos/prs/:number": people({ path: { number: "1" }, query: repository }),
	"POST /repos/prs/:number/merge": people({ path: { number: "1" }, query: repository }),
	"GET /repos/prs/:number/ci": people({ path: { number: "1" }, query: { ...repository, branch: "main" } }),
	"GET /sessions/:session_id/pr": those("session"),

	"GET /chronicles": people(),
	"POST /chronicles": those("session", {
		action: "report",
		body: (session_id) => ({ session_id }),
		leaves: "chronicle",
	}),
	"GET /chronicles/:chronicle_id": those("chronicle"),
	"PATCH /chronicles/:chronicle_id": those("chronicle", { action: "report", body: { tags: ["proof"] } }),
	"POST /chronicles/:chronicle_id/reforge": those("chronicle", { action: "see", leaves: "unstarted-session" }),
	"GET /chronicles/:chronicle_id/chain": those("chronicle"),
	"GET /chronicles/:chronicle_id/timeline": those("session"),
	"POST /chronicles/:chronicle_id/timeline": reporters({ body: { t: 0, type: "session", label: "proof" } }),
	"GET /chronicles/:chronicle_id/diff": those("session", { query: { file: "README.md" } }),
	"DELETE /chronicles/:chronicle_id": those("chronicle", { action: "see", consumes: true }),

	"GET /events/health": people(),
	"POST /events": reporters({ body: event }),
	"POST /events/batch": reporters({ body: (id) => ({ events: [event(id)] }) }),

	"GET /sessions": people(),
	"GET /sessions/stream": people(),
	"POST /sessions": people({ body: { name: 1 } }),
	"GET /sessions/:session_id": those("session"),
	"PUT /sessions/:session_id": those("session", { body: { tracker_issue_id: "PROOF-1" } }),
	"GET /sessions/:session_id/logs": those("session"),
	"GET /sessions/:session_id/conversation": those("session"),
	"GET /sessions/:session_id/diff": those("session"),
	"GET /sessions/:session_id/issues": those("session", { volatile: true }),
	"GET /sessions/:session_id/events": those("session"),
	"GET /sessions/:session_id/events/counts": those("session"),
	"GET /sessions/:session_id/events/tokens": those("session"),
	"GET /sessions/:session_id/chronicle": those("session"),
	"POST /sessions/:session_id/messages": those("session", { body: { content: "proof" } }),
	"POST /sessions/:session_id/interrupt": those("session"),
	"GET /sessions/:session_id/mode": those("session"),
	"PUT /sessions/:session_id/mode": those("session", { body: { mode: "proof" } }),
	"GET /sessions/:session_id/permissions": those("session"),
	"POST /sessions/:session_id/permissions/:request_id": those("session", {
		path: { request_id: "1" },
		body: { behavior: "deny" },
	}),
	"GET //s/:session_id/session": those("session", { action: "command-agent", effect: "write" }),

	"POST /sessions/:session_id/activity": reporters({ body: { state: "idle" } }),
	"POST /sessions/:session_id/usage": reporters({
		action: "report-usage",
		body: { tokens: 1, provider: "local", model: "proof" },
	}),
	"POST /sessions/:session_id/chronicle": reporters({ body: { summary: "proof" } }),
	"POST /sessions/:session_id/history": pods({ body: { n: 1_000_000 } }),
	"POST /sessions/:session_id/reservations": pods({ body: { reservation_id: "proof", model: "" } }),
	"DELETE /sessions/:session_id/reservations/:reservation_id": pods({ path: { reservation_id: "proof" } }),

	"PATCH /sessions/:session_id/archive": those("session", { action: "manage" }),
	"PATCH /sessions/:session_id/restore": those("session", { action: "manage" }),
	"POST /sessions/:session_id/archive": those("session", { action: "manage" }),
	"POST /sessions/:session_id/restore": those("session", { action: "manage" }),
	"POST /sessions/:session_id/start": those("session", { body: {} }),
	// The session runs in its workspace now, so that those who may delete it are told that it is in use.
	"POST /workspaces/:id/restore": those("workspace"),
	"DELETE /workspaces/:id": those("workspace"),
	"POST /workspaces/bulk-delete": people({ names: "workspace", body: (id) => ({ session_ids: [id] }) }),
	"POST /admin/workspaces/bulk-delete": administrators({
		names: "workspace",
		body: (id) => ({ session_ids: [id] }),
	}),
	"POST /sessions/:session_id/stop": those("session", { action: "manage" }),
	"POST /sessions/archive-stopped": people({ reaches: "person" }),
	"DELETE /sessions/:session_id": those("unstarted-session", {
		action: "manage",
		consumes: true,
		body: { cleanup: ["chronicles"] },
	}),

	// The last row: it ends the tokens with which some of the callers call.
	"DELETE //api/v1/users/tokens": loggedIn({ effect: "read", reaches: "person" }),
};

/** The chat, which is a request for a WebSocket and no route of a contract. */
export const chatRoute = "GET //s/:session_id/session";
