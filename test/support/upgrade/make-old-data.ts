/**
 * Makes test/fixtures/data-35da4e64.json.gz: runs a platform of the old release, uses it as people do, and keeps its data
 * folder and its answers. `node test/support/upgrade/make-old-data.ts`
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { ApiClient } from "../clients/api-client.ts";
import { FormerTree, formerCommit } from "../rolling/former-tree.ts";
import { ask, runningSession, sessionReaches } from "../platform/session-steps.ts";
import { startPlatform } from "../platform/start-platform.ts";
import { oldConfig, type OldData, oldDataFile, oldHeaders } from "./old-data.ts";

/** The lists and objects that every release shows in the same way. */
const paths = [
	"/prompts",
	"/prompts/search?q=loudly",
	"/profiles",
	"/presets",
	"/credentials",
	"/secrets",
	"/admin/settings",
	"/features/preferences",
	"/budgets/users/ada",
	"/tracker/mappings",
	"/users",
	"/tenants",
];

async function post<T>(api: ApiClient, path: string, body: unknown): Promise<T> {
	const answer = await api.post<T>(path, body);
	if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
	return answer.body;
}

async function put(api: ApiClient, path: string, body: unknown): Promise<void> {
	const answer = await api.put(path, body);
	if (answer.status >= 300) throw new Error(`PUT ${path}: ${answer.status} ${answer.text}`);
}

async function use(api: ApiClient, origin: string): Promise<{ stopped: string; running: string; token: string }> {
	for (const n of [1, 2, 3])
		await post(api, "/prompts", { name: `prompt-${n}`, content: `say it loudly ${n} {{what}}`, tags: ["old"] });
	await post(api, "/profiles", { name: "careful", description: "asks first", env_vars: { MODE: "careful" } });
	await post(api, "/presets", { name: "usual", description: "the usual" });
	await post(api, "/credentials", { name: "registry", secret_type: "generic", data: { token: "fixture-value" } });
	await put(api, "/budgets/users/ada", { limit: 25 });
	await put(api, "/admin/settings", { storage: { home_enabled: false, file_manager_enabled: false } });
	await put(api, "/features/preferences", { preferences: [{ feature_key: "chat", visible: true, sort_order: 1 }] });
	const { id: stopped } = await runningSession(api);
	await ask(api, stopped, "echo from the old release");
	await post(api, `/sessions/${stopped}/usage`, { tokens: 1_200, provider: "cloud", model: "unknown", cost: 0.25 });
	await post(api, `/sessions/${stopped}/stop`, {});
	await sessionReaches(api, stopped, "stopped");
	const { id: running } = await runningSession(api);
	const desk = new ApiClient(`${origin}/api/v1/users`, oldHeaders);
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

using sources = new FormerTree(formerCommit);
await using platform = await startPlatform({ root: sources.root, config: oldConfig });
const api = platform.client(oldHeaders);
const { stopped, running, token } = await use(api, platform.url);
const { generation } = (await api.get<{ generation: number }>(`/sessions/${running}`)).body;
const agent = platform.client({
	authorization: `Bearer ${openInstallationKey(platform.dataDir, "").podToken(running, generation)}`,
});
const { body: models } = await api.get<{ id: string }[]>("/models");
const reserved = { reservation_id: "turn-1", model: models[0]?.id ?? "", input_tokens: 1_000 };
console.log("hold:", await post(agent, `/sessions/${running}/reservations`, reserved));
const answers: Record<string, unknown> = {};
for (const path of [
	...paths,
	`/sessions/${stopped}`,
	`/sessions/${stopped}/conversation`,
	`/sessions/${stopped}/chronicle`,
]) {
	const { status, body } = await api.get(path);
	if (status === 200) answers[path] = body;
	else console.log(`${path}: ${status}`);
}
await platform.stop();
const at = Date.now();
// The pages of removed rows are of no use in a fixture.
const database = new DatabaseSync(join(platform.dataDir, "store", "atelier.db"));
database.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA journal_mode = DELETE");
database.close();
const kept = ["store/atelier.db", "keys/installation", ...filesBelow(platform.dataDir, "credentials")].filter(
	(path) => !path.includes(".locks"),
);
const files = Object.fromEntries(
	kept.map((path) => [path, readFileSync(join(platform.dataDir, path)).toString("base64")]),
);
const data: OldData = { files, answers, token, stopped, running, at };
writeFileSync(oldDataFile, gzipSync(JSON.stringify(data), { level: 9 }));
console.log(`${oldDataFile}: ${statSync(oldDataFile).size} bytes, ${Object.keys(answers).length} answers`);
