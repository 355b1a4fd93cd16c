/**
 * Makes test/fixtures/data-0.2.0.json.gz: runs this platform, uses it as people do, and keeps its data folder and its answers.
 * It was run once, for that release; the next release with another form gets a file of its own beside it.
 * `node test/support/upgrade/make-released-data.ts`
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { ApiClient } from "../clients/api-client.ts";
import { eventually } from "../eventually.ts";
import { ask, runningSession, sessionReaches } from "../platform/session-steps.ts";
import { startPlatform } from "../platform/start-platform.ts";
import { releasedConfig, type ReleasedData, releasedDataFile, releasedHeaders } from "./released-data.ts";

/** The lists and objects that every release shows in the same way. */
const paths = [
	"/prompts",
	"/prompts/search?q=loudly",
	"/profiles",
	"/presets",
	"/credentials",
	"/secrets",
	"/integrations",
	"/admin/settings",
	"/features/preferences",
	"/budgets/users/ada",
	"/tracker/mappings",
	"/users",
	"/tenants",
	"/tenants/acme/members",
];

/** The same of one session. */
const pathsOf = (id: string) => [
	`/sessions/${id}`,
	`/sessions/${id}/conversation`,
	`/sessions/${id}/logs`,
	`/sessions/${id}/events`,
	`/sessions/${id}/events/counts`,
	`/sessions/${id}/chronicle`,
	`/chronicles/${id}/timeline`,
];

/** More entries of a timeline than its own document has. */
const entries = 105;

/** A commit in a repository that the session makes, so that its timeline has files and commits. */
const commit =
	"$ git init -q . && printf 'one\\n' > one.txt && git add . && git -c user.name=a -c user.email=a@b.example commit -qm first";

async function post<T>(api: ApiClient, path: string, body: unknown, headers = {}): Promise<T> {
	const answer = await api.post<T>(path, body, { headers });
	if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
	return answer.body;
}

async function put(api: ApiClient, path: string, body: unknown): Promise<void> {
	const answer = await api.put(path, body);
	if (answer.status >= 300) throw new Error(`PUT ${path}: ${answer.status} ${answer.text}`);
}

async function store(api: ApiClient, origin: string): Promise<void> {
	for (const n of [1, 2, 3])
		await post(api, "/prompts", { name: `prompt-${n}`, content: `say it loudly ${n} {{what}}`, tags: ["old"] });
	await post(api, "/profiles", { name: "careful", description: "asks first", env_vars: { MODE: "careful" } });
	await post(api, "/presets", { name: "usual", description: "the usual", is_default: true });
	const data = { token: "fixture-value" };
	await post(api, "/credentials", { name: "registry", secret_type: "generic", data });
	await post(api, "/credentials/tenant", { name: "shared", secret_type: "generic", data });
	await post(api, "/integrations", { slug: "linear", credential_name: "registry", integration_type: "issue_tracker" });
	await post(api, "/tracker/mappings", { repo_url: "https://github.com/expressjs/express", project_id: "10000" });
	const bob = new ApiClient(`${origin}/api/v1/svc`, { authorization: "Bearer token-of-bob" });
	await bob.get("/me");
	await post(api, "/tenants/acme/members", { user_id: "bob", role: "developer" });
	await post(api, "/secrets", { name: "registry-key", data });
	await put(api, "/budgets/users/ada", { limit: 25 });
	await put(api, "/admin/settings", { storage: { home_enabled: false, file_manager_enabled: false } });
	await put(api, "/features/preferences", { preferences: [{ feature_key: "chat", visible: true, sort_order: 1 }] });
}

async function use(api: ApiClient, origin: string): Promise<{ stopped: string; running: string; token: string }> {
	await store(api, origin);
	const { id: stopped } = await runningSession(api);
	await ask(api, stopped, "echo from this release");
	await ask(api, stopped, commit);
	const timestamp = new Date().toISOString();
	await post(api, "/events", { session_id: stopped, event_type: "message_user", timestamp, sequence: 1 });
	for (let n = 1; n <= entries; n++)
		await post(api, `/chronicles/${stopped}/timeline`, { t: n, type: "message", label: `by hand ${n}` });
	await post(api, `/sessions/${stopped}/usage`, { tokens: 1_200, provider: "cloud", model: "unknown", cost: 0.25 });
	await eventually(async () => (await api.get(`/chronicles/${stopped}/timeline`)).text.includes('"git"'), {
		withinMs: 30_000,
		what: "the timeline has the commit",
	});
	await post(api, `/sessions/${stopped}/stop`, {});
	await sessionReaches(api, stopped, "stopped");
	const order = { name: "keyed", source: { type: "git", repo: "" } };
	const { id: running } = await post<{ id: string }>(api, "/sessions", order, { "idempotency-key": "fixture" });
	await sessionReaches(api, running, "running");
	const desk = new ApiClient(`${origin}/api/v1/users`, releasedHeaders);
	const { token } = await post<{ token: string }>(desk, "/tokens", { name: "old" });
	return { stopped, running, token };
}

function filesBelow(root: string, path = ""): string[] {
	return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
		const below = join(path, entry.name);
		if (entry.isDirectory()) return filesBelow(root, below);
		return entry.isFile() ? [below] : [];
	});
}

await using platform = await startPlatform({ config: releasedConfig });
const api = platform.client(releasedHeaders);
const { stopped, running, token } = await use(api, platform.url);
const { generation } = (await api.get<{ generation: number }>(`/sessions/${running}`)).body;
const agent = platform.client({
	authorization: `Bearer ${openInstallationKey(platform.dataDir, "").podToken(running, generation)}`,
});
const { body: models } = await api.get<{ id: string }[]>("/models");
const reserved = { reservation_id: "turn-1", model: models[0]?.id ?? "", input_tokens: 1_000 };
console.log("hold:", await post(agent, `/sessions/${running}/reservations`, reserved));
const answers: Record<string, unknown> = {};
for (const path of [...paths, ...pathsOf(stopped)]) {
	const { status, body, text } = await api.get(path);
	if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
	answers[path] = body;
}
await platform.stop();
const at = Date.now();
// The pages of removed rows are of no use in a fixture.
const database = new DatabaseSync(join(platform.dataDir, "store", "atelier.db"));
database.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA journal_mode = DELETE");
database.close();
const kept = [
	"store/atelier.db",
	"keys/installation",
	"host/id",
	...filesBelow(platform.dataDir, "credentials"),
].filter((path) => !path.includes(".locks"));
const files = Object.fromEntries(kept.map((path) => [path, readFileSync(join(platform.dataDir, path))]));
for (const [path, content] of Object.entries(files))
	for (const word of [platform.folder, process.cwd(), hostname()])
		if (content.includes(word)) throw new Error(`"${path}" has "${word}", which is of this machine`);
const encoded = Object.fromEntries(Object.entries(files).map(([path, content]) => [path, content.toString("base64")]));
const data: ReleasedData = { files: encoded, answers, token, stopped, running, at };
writeFileSync(releasedDataFile, gzipSync(JSON.stringify(data), { level: 9 }), { flag: "wx" });
console.log(`${releasedDataFile}: ${statSync(releasedDataFile).size} bytes, ${Object.keys(answers).length} answers`);
