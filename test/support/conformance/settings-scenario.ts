/** One pass over settings: modules, layouts, admin settings, resources, MCP servers, secrets. */
import { expect } from "chai";
import type { Walker } from "./walker.ts";

interface ModuleView {
	key: string;
	scope: string;
	enabled: boolean;
}

/** An administrator's walk. */
export async function walkSettings(walker: Walker): Promise<void> {
	await walkFeatures(walker);
	await walkPreferences(walker);
	await walkAdminSettings(walker);
	await walkMachine(walker);
	await walkSecrets(walker);
}

async function walkFeatures(walker: Walker): Promise<void> {
	expect(await walker.call<ModuleView[]>("listFeatures", 200)).to.have.length(19);
	for (const [scope, count] of Object.entries({ admin: 5, session: 7, user: 7, none: 0 }))
		expect(await walker.call<ModuleView[]>("listFeatures", 200, { query: { scope } })).to.have.length(count);
	for (const enabled of [false, true]) {
		const request = { path: { key: "logs" }, body: { enabled } };
		expect(await walker.call<ModuleView>("toggleFeature", 200, request)).to.include({ key: "logs", enabled });
		const modules = await walker.call<ModuleView[]>("listFeatures", 200, { query: { scope: "session" } });
		expect(modules.find(({ key }) => key === "logs")).to.include({ enabled });
	}
	await walkPages(walker, "listFeatures", 19);
}

async function walkPreferences(walker: Walker): Promise<void> {
	expect(await walker.call("getFeaturePreferences", 200)).to.deep.equal([]);
	const preferences = [
		{ feature_key: "logs", visible: false, sort_order: 2 },
		{ feature_key: "chat", sort_order: 1 },
		{ feature_key: "diffs" },
	];
	const stored = [
		{ feature_key: "diffs", visible: true, sort_order: 0 },
		{ feature_key: "chat", visible: true, sort_order: 1 },
		{ feature_key: "logs", visible: false, sort_order: 2 },
	];
	expect(await walker.call("setFeaturePreferences", 200, { body: { preferences } })).to.deep.equal(stored);
	expect(await walker.call("getFeaturePreferences", 200)).to.deep.equal(stored);
	await walkPages(walker, "getFeaturePreferences", 3);
	for (const wrong of [[{ feature_key: "no-such-module" }], [...preferences, { feature_key: "chat" }]])
		await walker.call("setFeaturePreferences", 422, { body: { preferences: wrong } });
	expect(await walker.call("setFeaturePreferences", 200, { body: { preferences: [] } })).to.deep.equal([]);
}

async function walkAdminSettings(walker: Walker): Promise<void> {
	const storage = (home_enabled: boolean, file_manager_enabled: boolean) => ({
		storage: { home_enabled, file_manager_enabled },
	});
	expect(await walker.call("getAdminSettings", 200)).to.deep.equal(storage(true, false));
	const set = async (body: unknown, expected: unknown): Promise<void> => {
		expect(await walker.call("updateAdminSettings", 200, { body })).to.deep.equal(expected);
		expect(await walker.call("getAdminSettings", 200)).to.deep.equal(expected);
	};
	await set(storage(true, true), storage(true, true));
	expect(await walker.call("getFeatureFlags", 200)).to.include({ file_manager_enabled: true });
	await set({ storage: { home_enabled: false } }, storage(false, true));
	await set({ storage: null }, storage(false, true));
	await set({}, storage(false, true));
	await set(storage(true, false), storage(true, false));
	expect(await walker.call("getFeatureFlags", 200)).to.include({ file_manager_enabled: false });
}

/** The MCP servers that {@link walkSettings} expects in the configuration. */
export const configuredMcpServers = [
	{ name: "tickets", type: "http", url: "https://tickets.example/mcp", headers: { Authorization: "Bearer x" } },
	{ name: "files", type: "stdio", command: "npx", args: ["-y", "files-server"], env: { ROOT: "/tmp" } },
	{ name: "news", type: "sse", url: "https://news.example/sse", description: "News of the day" },
];

async function walkMachine(walker: Walker): Promise<void> {
	const { resource_types, nodes } = await walker.call<{ resource_types: { name: string }[]; nodes: unknown[] }>(
		"getClusterResources",
		200,
	);
	expect(resource_types.map(({ name }) => name)).to.deep.equal(["cpu", "memory"]);
	expect(nodes).to.deep.equal([]);
	const servers = await walker.call<{ name: string }[]>("listMcpServers", 200);
	expect(servers.map(({ name }) => name)).to.deep.equal(["files", "news", "tickets"]);
	for (const server of servers)
		expect(await walker.call("getMcpServer", 200, { path: { name: server.name } })).to.deep.equal(server);
	await walkPages(walker, "listMcpServers", 3);
}

async function walkSecrets(walker: Walker): Promise<void> {
	expect(await walker.call("listSecrets", 200)).to.deep.equal([]);
	const created = await walker.call("createSecret", 201, {
		body: { name: "b", data: { user: "me", token: "s3cret" } },
	});
	expect(created).to.deep.equal({ name: "b", keys: ["token", "user"] });
	for (const name of ["c", "a.example"])
		await walker.call("createSecret", 201, { body: { name, data: { token: "s3cret" } } });
	expect(await walker.call("getSecret", 200, { path: { name: "b" } })).to.deep.equal(created);
	await walker.call("createSecret", 409, { body: { name: "b", data: { token: "other" } } });
	await walker.call("createSecret", 400, { body: { name: "Not a label", data: { token: "x" } } });
	for (const data of [{}, { "a b": "x" }, { token: "x".repeat(40_000) }])
		await walker.call("createSecret", 422, { body: { name: "wrong", data } });
	const secrets = await walker.call<{ name: string }[]>("listSecrets", 200);
	expect(secrets.map(({ name }) => name)).to.deep.equal(["a.example", "b", "c"]);
	await walkPages(walker, "listSecrets", 3);
}

/** Follows `Link` with pages of two, and asks again for what it has. */
export async function walkPages(walker: Walker, operation: string, count: number): Promise<void> {
	const seen: unknown[] = [];
	for (let cursor: string | undefined = ""; cursor !== undefined; ) {
		const query: Record<string, string> = { limit: "2", ...(cursor !== "" && { cursor }) };
		const { body, headers } = await walker.answer(operation, 200, { query });
		if (Array.isArray(body)) seen.push(...body);
		expect(headers.get("etag")).to.match(/^W\/"/);
		const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
		cursor = next === undefined ? undefined : (new URL(next, "http://localhost").searchParams.get("cursor") ?? "");
	}
	expect(seen)
		.to.deep.equal(await walker.call(operation, 200))
		.and.to.have.length(count);
	await walker.call(operation, 400, { query: { cursor: "not-ours" } });
}
