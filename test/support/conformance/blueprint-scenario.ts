/** One pass over profiles and presets. */
import { expect } from "chai";
import { walkPages } from "./settings-scenario.ts";
import type { Walker } from "./walker.ts";

interface BlueprintView {
	id: string;
	name: string;
	is_default: boolean;
}

const members = {
	description: "Small changes, quickly",
	model: "claude-haiku-4-5-20251001",
	system_prompt: "Be brief.",
	resource_config: { cpu: "2", memory: "4Gi", gpu: "0" },
	mcp_servers: [{ name: "tickets", type: "http", url: "https://tickets.example/mcp", headers: { "X-Key": "1" } }],
	env_vars: { NODE_ENV: "test" },
	env_secret_refs: ["registry"],
	workload_config: { agent: "builtin", image: "node:24" },
};

export async function walkProfiles(walker: Walker): Promise<void> {
	const create = (body: object) => walker.call<BlueprintView>("createProfile", 201, { body });
	const names = async (query: Record<string, string> = {}) =>
		(await walker.call<BlueprintView[]>("listProfiles", 200, { query })).map(({ name }) => name);
	expect(await create({ name: "plain" })).to.deep.equal({
		name: "plain",
		description: "",
		workload_type: "session",
		model: null,
		system_prompt: null,
		resource_config: {},
		mcp_servers: [],
		env_vars: {},
		env_secret_refs: [],
		workload_config: {},
		is_default: false,
	});
	expect(await create({ name: "fast", ...members, is_default: true })).to.deep.include({
		...members,
		is_default: true,
	});
	await create({ name: "critic: 1 %", workload_type: "reviewer", is_default: true });
	await walker.call("createProfile", 409, { body: { name: "plain" } });
	for (const refused of [
		{ resource_config: { cpu: "0.1", memory: "1Ti", gpu: "9" } },
		{ model: " " },
		{ mcp_servers: [{ name: "x" }] },
	])
		await walker.call("createProfile", 400, { body: { name: "x", ...refused } });
	for (const name of [".", "..", "a\nb", "a/b", "a\\b"]) await walker.call("createProfile", 422, { body: { name } });

	expect(await names()).to.deep.equal(["critic: 1 %", "fast", "plain"]);
	expect(await names({ workload_type: "reviewer" })).to.deep.equal(["critic: 1 %"]);
	expect(await names({ workload_type: "none" })).to.deep.equal([]);
	await walkPages(walker, "listProfiles", 3);
	await walker.call("getProfile", 200, { path: { name: "critic: 1 %" } });

	const change = (name: string, body: object) =>
		walker.call<BlueprintView>("updateProfile", 200, { path: { name }, body });
	expect(await change("plain", { is_default: true, description: null })).to.include({ is_default: true });
	expect(await walker.call("getProfile", 200, { path: { name: "fast" } })).to.deep.include({
		...members,
		is_default: false,
	});
	expect(await change("plain", { name: "renamed" })).to.include({ name: "renamed", is_default: true });
	await walker.call("updateProfile", 409, { path: { name: "renamed" }, body: { name: "fast" } });
	await walker.call("updateProfile", 400, { path: { name: "fast" }, body: { resource_config: { memory: "1" } } });
	await walker.call("getProfile", 404, { path: { name: "plain" } });
	for (const name of ["fast", "renamed", "critic: 1 %"]) await walker.call("deleteProfile", 204, { path: { name } });
	expect(await names()).to.deep.equal([]);
}

export async function walkPresets(walker: Walker): Promise<void> {
	const create = (body: object) => walker.call<BlueprintView>("createPreset", 201, { body });
	const names = async (query: Record<string, string> = {}) =>
		(await walker.call<BlueprintView[]>("listPresets", 200, { query })).map(({ name }) => name);
	const plain = await create({ name: "plain" });
	expect(plain).to.deep.include({ cli_tool: "", workload_type: "session", model: null, source: null, skills: [] });
	const more = {
		cli_tool: "claude",
		terminal_sidecar: { enabled: true, allowed_commands: ["ls"] },
		skills: [{ name: "tidy", inline: "Tidy up." }],
		rules: [{ path: "AGENTS.md" }],
		source: { type: "git", repo: "https://git.example/org/shop", branch: "main" },
		integration_ids: ["one"],
		setup_scripts: ["npm ci"],
	};
	const whole = await create({ name: "whole", ...members, ...more, is_default: true });
	expect(whole).to.deep.include({ ...members, ...more, is_default: true });
	await walker.call("createPreset", 409, { body: { name: "whole" } });
	for (const [query, wanted] of [
		[{}, ["whole", "plain"]],
		[{ cli_tool: "claude" }, ["whole"]],
		[{ is_default: "true" }, ["whole"]],
		[{ is_default: "false" }, ["plain"]],
		[{ is_default: "false", cli_tool: "claude" }, []],
	] as const)
		expect(await names(query), JSON.stringify(query)).to.deep.equal(wanted);
	await walkPages(walker, "listPresets", 2);

	const change = (id: string, body: object) =>
		walker.call<BlueprintView>("updatePreset", 200, { path: { preset_id: id }, body });
	expect(await change(plain.id, { cli_tool: "claude", is_default: true })).to.include({ is_default: true });
	expect(await walker.call("getPreset", 200, { path: { preset_id: whole.id } })).to.include({ is_default: false });
	const cleared = await change(whole.id, { model: null, env_vars: null, source: null });
	expect(cleared).to.deep.include({ ...members, ...more, model: null, env_vars: {}, source: null });
	await walker.call("updatePreset", 422, { path: { preset_id: whole.id }, body: { name: null } });
	await walker.call("updatePreset", 409, { path: { preset_id: whole.id }, body: { name: "plain" } });
	for (const { id } of [plain, whole]) await walker.call("deletePreset", 204, { path: { preset_id: id } });
	await walker.call("deletePreset", 404, { path: { preset_id: plain.id } });
	expect(await names()).to.deep.equal([]);
}
