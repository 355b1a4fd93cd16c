/** One pass over every operation that is built, with a real session that runs. */
import { expect } from "chai";
import { eventually } from "../eventually.ts";
import { walkChronicles } from "./chronicle-scenario.ts";
import { walkCredentials } from "./credentials/credential-scenario.ts";
import { walkConfidence } from "./git/confidence-scenario.ts";
import { walkSettings } from "./settings-scenario.ts";
import { walkPresets, walkProfiles } from "./blueprint-scenario.ts";
import { walkIdentity } from "./identity/identity-scenario.ts";
import { walkTracker } from "./tracker/tracker-scenario.ts";
import { walkIntegrations } from "./integrations/integration-scenario.ts";
import { walkPulls } from "./git/pull-scenario.ts";
import { walkRepositories } from "./git/repository-scenario.ts";
import { walkPrompts } from "./prompt-scenario.ts";
import { walkTokens } from "./tokens/token-scenario.ts";
import { walkWorkspaces } from "./workspaces/workspace-scenario.ts";
import type { Walker } from "./walker.ts";

interface SessionView {
	id: string;
	status: string;
	error: string | null;
}

const startMs = 30_000;

/** Calls every operation. @param repository The URL of a git repository that the platform may clone. */
export async function walkEverything(walker: Walker, repository: string): Promise<void> {
	await walkSurroundings(walker);
	await walkSettings(walker);
	await walkCredentials(walker);
	await walkIntegrations(walker);
	await walkPrompts(walker);
	await walkConfidence(walker);
	await walkRepositories(walker);
	await walkTokens(walker);
	await walkTracker(walker);
	await walkProfiles(walker);
	await walkPresets(walker);
	await walkIdentity(walker);
	await walkWorkspaces(walker);
	const id = await walkCreation(walker, repository);
	await walkLists(walker, id);
	await walkRunning(walker, id);
	await walkChronicles(walker, id);
	await walkLifecycle(walker, id);
	await walkPulls(walker);
}

async function walkSurroundings(walker: Walker): Promise<void> {
	await walker.call("health", 200);
	await walker.call("getFeatureFlags", 200);
	await walker.call("getAuthConfig", 200);
	await walker.call("getStats", 200);
	await walker.call("listModels", 200);
	const [template] = await walker.call<{ name: string }[]>("listTemplates", 200);
	if (!template) throw new Error("There is no example template");
	await walker.call("getTemplate", 200, { path: { name: template.name } });
	await walker.call("getTemplate", 404, { path: { name: "no-such-template" } });
}

/** Tests both request forms and the refusals that only the server can decide; resolves to a running session. */
async function walkCreation(walker: Walker, repository: string): Promise<string> {
	const source = { type: "git", repo: repository, branch: "main" };
	const { id } = await walker.call<SessionView>("createSession", 201, { body: { name: "walker", source } });
	const flat = await walker.call<SessionView>("createSession", 201, {
		body: { name: "flat", repo: repository, branch: "main" },
	});
	const cleanup = ["workspace_storage", "chronicles"];
	await walker.call("deleteSession", 204, { path: { session_id: flat.id }, body: { cleanup } });
	for (const unknown of [{ template_name: "no-such-template" }, { profile_name: "no-such-profile" }]) {
		const { detail } = await walker.call<{ detail: string }>("createSession", 422, { body: { name: "x", ...unknown } });
		expect(detail).to.include(Object.values(unknown)[0]);
	}
	await walker.call("createSession", 422, { body: { name: "x", source: { ...source, repo: "--upload-pack=x" } } });
	await reaches(walker, id, "running");
	return id;
}

async function reaches(walker: Walker, session_id: string, status: string): Promise<void> {
	const arrived = await eventually(
		async () => {
			const session = await walker.call<SessionView>("getSession", 200, { path: { session_id } });
			return session.status === status || session.status === "failed" ? session : undefined;
		},
		{ withinMs: startMs, everyMs: 100, what: `the session is ${status}` },
	);
	if (arrived.status !== status) throw new Error(`The session failed: ${arrived.error}`);
}

async function walkLists(walker: Walker, id: string): Promise<void> {
	for (const query of [
		{},
		{ status: "running" },
		{ status: "RUNNING" },
		{ include_archived: "true" },
		{ limit: "1" },
	]) {
		const sessions = await walker.call<SessionView[]>("listSessions", 200, { query });
		expect(sessions.map((session) => session.id)).to.deep.equal([id]);
	}
	expect(await walker.call("listSessions", 200, { query: { status: "archived" } })).to.deep.equal([]);
	const second = await walker.call<SessionView>("createSession", 201, { body: { name: "second" } });
	const { headers } = await walker.answer("listSessions", 200, { query: { limit: "1" } });
	const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
	const cursor = new URL(next ?? "no Link header", "http://localhost").searchParams.get("cursor") ?? "";
	const rest = await walker.call<SessionView[]>("listSessions", 200, { query: { limit: "1", cursor } });
	expect(rest.map((session) => session.id)).to.deep.equal([id]);
	await walker.call("deleteSession", 204, { path: { session_id: second.id }, body: { cleanup: ["chronicles"] } });
}

async function walkRunning(walker: Walker, session_id: string): Promise<void> {
	const path = { session_id };
	await walker.call("updateSession", 200, { path, body: { name: "renamed", tracker_issue_id: "ABC-1", model: null } });
	await walker.call("sendSessionMessage", 200, {
		path,
		body: { content: "$ echo one > one.txt; echo two >> README.md" },
	});
	await walker.call("sendSessionMessage", 200, { path, body: { content: [{ type: "text", text: "$ echo blocks" }] } });
	for (const body of [{ content: "" }, {}]) await walker.call("sendSessionMessage", 400, { path, body });
	await eventually(
		async () => {
			const { turns, is_active } = await walker.call<{ turns: { role: string }[]; is_active: boolean }>(
				"getConversation",
				200,
				{ path },
			);
			return !is_active && turns.filter(({ role }) => role === "assistant").length === 2;
		},
		{ withinMs: 20_000, everyMs: 100, what: "both messages are answered" },
	);
	await walker.call("getSessionLogs", 200, { path, query: { lines: "5", level: "warning" } });
	await walker.call("getSessionLogs", 422, { path, query: { level: "no-such-level" } });
	await walkDiff(walker, session_id);
	await walker.call("reportActivity", 204, { path, body: { state: "tool_executing", metadata: { turn_count: 1 } } });
	await walker.call("reportActivity", 422, { path, body: { state: "asleep" } });
	await walkUsage(walker, session_id);
}

async function walkUsage(walker: Walker, session_id: string): Promise<void> {
	const path = { session_id };
	const plain = { tokens: 1_000_000, provider: "cloud", model: "claude-sonnet-4-6" };
	expect((await walker.call<{ cost: number }>("reportUsage", 201, { path, body: plain })).cost).to.equal(3);
	const local = { tokens: 5, provider: "local", model: "llama3.2:latest", report_id: "walker-1" };
	const first = await walker.call("reportUsage", 201, { path, body: local });
	expect(await walker.call("reportUsage", 201, { path, body: local })).to.deep.equal(first);
	await walker.call("reportUsage", 409, { path, body: { ...local, tokens: 6 } });
	const numbers = await walker.call<Record<string, number>>("getStats", 200);
	expect(numbers, "what its owner says is nobody's money").to.include({ tokens_today: 0, cost_today: 0 });
	const { tokens_used } = await walker.call<{ tokens_used: number }>("getSession", 200, { path });
	expect(tokens_used).to.equal(1_000_005);
}

async function walkDiff(walker: Walker, session_id: string): Promise<void> {
	const path = { session_id };
	for (const base of ["last-commit", "default-branch"])
		await walker.call("getSessionDiff", 200, { path, query: { base } });
	const { files } = await walker.call<{ files: { path: string; status: string }[] }>("getSessionDiff", 200, { path });
	expect(files.map((file) => `${file.status} ${file.path}`)).to.have.members(["new one.txt", "mod README.md"]);
	await walker.call("getSessionDiff", 200, { path, query: { file: "README.md" } });
	for (const query of [{ file: "../../etc/passwd" }, { base: "no-such-value" }]) {
		await walker.call("getSessionDiff", 400, { path, query });
	}
	const { patch } = await walker.call<{ patch: string }>("getSessionDiff", 200, { path, query: { format: "patch" } });
	expect(patch).to.include("+one").and.to.include("+two");
}

/** Tests the answers of a session without a pod. */
async function walkHistory(walker: Walker, session_id: string): Promise<void> {
	const path = { session_id };
	await walker.call("getSessionLogs", 200, { path, query: { lines: "5" } });
	const { turns } = await walker.call<{ turns: unknown[] }>("getConversation", 200, { path });
	expect(turns).to.have.length(4);
	for (const query of [{}, { file: "README.md" }, { format: "patch" }])
		await walker.call("getSessionDiff", 200, { path, query });
	await walker.call("getSessionDiff", 400, { path, query: { file: "../../etc/passwd" } });
}

/** Tests every transition of the table in docs/session-life.md that has its own operation. */
async function walkLifecycle(walker: Walker, session_id: string): Promise<void> {
	const path = { session_id };
	await walker.call("startSession", 409, { path, body: {} });
	await walker.call("restoreSession", 409, { path });
	await walker.call("stopSession", 200, { path });
	await reaches(walker, session_id, "stopped");
	await walker.call("stopSession", 409, { path });
	await walker.call("sendSessionMessage", 409, { path, body: { content: "hello" } });
	await walkHistory(walker, session_id);
	await walker.call("startSession", 200, { path, body: {} });
	await reaches(walker, session_id, "running");
	await walker.call("archiveSession", 200, { path });
	await walker.call("archiveSession", 409, { path });
	await walker.call("archiveSessionPost", 409, { path });
	await walker.call("restoreSession", 200, { path });
	expect(await walker.call("archiveStoppedSessions", 200)).to.deep.equal([session_id]);
	await walker.call("restoreSessionPost", 200, { path });
	await walker.call("restoreSessionPost", 409, { path });
	await walker.call("archiveSessionPost", 200, { path });
	await walker.call("deleteSession", 204, { path, body: { cleanup: ["workspace_storage"] } });
	await walker.call("getSession", 404, { path });
}
