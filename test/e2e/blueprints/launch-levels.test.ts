/**
 * The merge order, seen from inside: a coding agent tells with which settings it was started. In each session one more
 * level says nothing, so that together they show every setting on every level.
 */
import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { stringify } from "yaml";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ConversationPage } from "#shared/contracts/sessions/sessions.ts";
import { installStandIn } from "../../support/agents/install-stand-in.ts";
import type { Told } from "../../support/agents/telling-agent.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { fileUrl, makeRepository, git } from "../../support/repositories/git-repository.ts";

const levels = ["request", "preset", "profile", "template", "usual"] as const;
type Level = (typeof levels)[number];

/** The agent of each level; all are the same program. */
const agents: Record<Level, string> = {
	request: "qwen",
	preset: "kimi",
	profile: "gemini",
	template: "claude",
	usual: "codex",
};
/** Modes alternate, so that each level differs from the one below. */
const modes: Record<Level, string> = {
	request: "ask",
	preset: "auto",
	profile: "ask",
	template: "auto",
	usual: "ask",
};

/** The memory of each level in GiB. */
const memory: Record<Level, number> = { request: 9, preset: 8, profile: 7, template: 6, usual: 5 };

interface Row {
	readonly key: string;
	/** The members of each level that has the setting. */
	readonly says: Partial<Record<Level, object>>;
	/** Returns the setting as the agent has it; the names of levels stand for themselves. */
	readonly seen: (told: Told, wasAsked: boolean) => unknown;
	/** The value of a level; default its name. */
	readonly value?: (level: Level) => unknown;
	/** The value when no level has the setting. */
	readonly none?: unknown;
}

const modelOf = (level: string): string => `model-of-${level}`;

function onAll(say: (level: Level) => object, of: readonly Level[] = levels): Partial<Record<Level, object>> {
	return Object.fromEntries(of.map((level) => [level, say(level)]));
}

const inConfig = (say: (level: Level) => object) => (level: Level) =>
	level === "request" ? say(level) : { workload_config: say(level) };
const below = levels.slice(1);

function tableOf(repositories: string): readonly Row[] {
	const urlOf = (level: string): string => fileUrl(join(repositories, level));
	const source = (level: Level): object => ({
		source: { type: "git", repo: urlOf(level), branch: `branch-of-${level}` },
	});
	const script = (level: Level): object => ({ setup_scripts: [`mkdir -p inner && echo ${level} > made-by`] });
	return [
		{
			key: "model",
			says: onAll((level) => ({ model: modelOf(level) })),
			seen: ({ env, command, config: file }) =>
				levels.filter((level) => JSON.stringify([env, command, file]).includes(modelOf(level))).join(),
			none: "",
		},
		{
			key: "system_prompt",
			says: onAll((level) => ({ system_prompt: `You are of the ${level}` })),
			seen: ({ texts }) => levels.filter((level) => texts.some((text) => text.includes(`of the ${level}`))).join(),
			none: "",
		},
		{
			key: "initial_prompt",
			says: onAll(inConfig((level) => ({ initial_prompt: `Hello from the ${level}` }))),
			seen: ({ texts }) => levels.filter((level) => texts.some((text) => text.includes(`from the ${level}`))).join(),
			none: "",
		},
		{
			key: "agent",
			says: {
				...onAll(inConfig((level) => ({ agent: agents[level] }))),
				preset: { cli_tool: agents.preset },
			},
			seen: ({ command }) =>
				levels.filter((level) => command.some((part) => part.includes(`/agents/${agents[level]}/`))).join(),
		},
		{
			key: "permission_mode",
			says: onAll(inConfig((level) => ({ permission_mode: modes[level] }))),
			seen: ({ permission }, wasAsked) => `${permission}, ${wasAsked ? "by a person" : "at once"}`,
			value: (level) => (modes[level] === "ask" ? "selected, by a person" : "selected, at once"),
		},
		{
			key: "mcp_servers",
			says: onAll((level) => ({ mcp_servers: [{ name: `tools-of-${level}`, type: "stdio", command: "true" }] }), below),
			seen: ({ mcpServers }) => mcpServers.join(),
			value: (level) => `tools-of-${level}`,
			none: "",
		},
		{
			key: "env_vars",
			says: onAll((level) => ({ env_vars: { SAID_BY: level, [`OF_${level.toUpperCase()}`]: "1" } }), below),
			seen: ({ env }) => env["SAID_BY"] ?? "",
			none: "",
		},
		{
			key: "repository",
			says: { ...onAll(source, ["request", "preset"]), template: { repos: [{ url: urlOf("template") }] } },
			seen: ({ origin }) => basename(origin),
			none: "",
		},
		{
			key: "branch",
			says: {
				...onAll(source, ["request", "preset"]),
				template: { repos: [{ url: urlOf("template"), branch: "branch-of-template" }] },
			},
			seen: ({ branch }) => branch.replace("branch-of-", ""),
			none: "main",
		},
		{
			key: "resource_config",
			says: onAll((level) => ({ resource_config: { memory: `${memory[level]}Gi` } })),
			seen: (told) => told.memory,
			value: (level) => memory[level],
		},
		{
			key: "setup_scripts",
			says: onAll(script, ["preset", "template"]),
			seen: ({ madeBy }) => madeBy,
			none: "",
		},
		{
			key: "working_folder",
			says: { template: { workspace_layout: { root: "inner" } } },
			seen: ({ folder }) => (basename(folder) === "inner" ? "template" : ""),
			none: "",
		},
	];
}

/** Joins the members of a level; the members of `workload_config` come from several settings. */
function saidBy(level: Level, table: readonly Row[]): Record<string, unknown> {
	const members: Record<string, unknown> = {};
	const config: Record<string, unknown> = {};
	for (const { says } of table) {
		const { workload_config, ...own }: { workload_config?: object } = says[level] ?? {};
		Object.assign(members, own);
		Object.assign(config, workload_config);
	}
	return { ...members, workload_config: config };
}

function catalogue(): object {
	const endpoints = Object.fromEntries(modelWires.map((wire) => [wire, "http://127.0.0.1:1"]));
	const models = levels.map((level) => ({
		id: modelOf(level),
		name: level,
		provider: "none",
		context_window: 100_000,
	}));
	return { price_version: "test", providers: [{ id: "none", endpoints }], models };
}

describe("the settings of a launch, seen by the coding agent", function () {
	this.timeout(120_000);
	let folder: string;
	let table: readonly Row[];
	let platform: TestPlatform;
	let api: ApiClient;
	let presetId: string;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-levels-"));
		const repositories = join(folder, "repositories");
		for (const level of ["request", "preset", "template"]) {
			const repository = makeRepository(join(repositories, level), { "inner/file": level });
			git(repository, ["branch", `branch-of-${level}`]);
		}
		table = tableOf(repositories);
		mkdirSync(join(folder, "templates"));
		const template = { name: "of-template", ...saidBy("template", table) };
		writeFileSync(join(folder, "templates", "one.yaml"), stringify(template));
		writeFileSync(join(folder, "models.yaml"), stringify(catalogue()));
		const dataDir = join(folder, "data");
		for (const level of levels) installStandIn(dataDir, agents[level], "telling-agent.ts");
		platform = await startPlatform({
			dataDir,
			config: {
				models: { file: join(folder, "models.yaml") },
				templates: { kwargs: { folder: join(folder, "templates") } },
			},
		});
		api = platform.client();
		presetId = (await posted<{ id: string }>("/presets", { name: "of-preset", ...saidBy("preset", table) })).id;
		await posted("/profiles", { name: "of-profile", ...saidBy("profile", table) });
		await posted("/profiles", { name: "of-usual", ...saidBy("usual", table), is_default: true });
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function posted<T = unknown>(path: string, body: object): Promise<T> {
		const { status, body: answer, text } = await api.post<T>(path, body);
		expect(status, text).to.equal(201);
		return answer;
	}

	/** Creates the session in which the levels from this one on say something. */
	function created(from: number): Promise<Session> {
		const named = { preset_id: presetId, profile_name: "of-profile", template_name: "of-template" };
		const { preset_id, profile_name, template_name } = named;
		return posted<Session>("/sessions", {
			name: `from-${levels[from]}`,
			...(from === 0 && saidBy("request", table)),
			...(from <= 1 && { preset_id }),
			...(from <= 2 && { profile_name }),
			...(from <= 3 && { template_name }),
		});
	}

	/** Resolves with the answer to the first message, after its permission request was answered if a person was asked. */
	async function firstAnswer(id: string): Promise<{ told: Told; wasAsked: boolean }> {
		let wasAsked = false;
		const told = await eventually(
			async () => {
				const { body } = await api.get<Session>(`/sessions/${id}`);
				expect(body.error).to.equal(null);
				if (body.status !== "running") return undefined;
				const { body: waiting } = await api.get<{ request_id: string }[]>(`/sessions/${id}/permissions`);
				for (const { request_id } of waiting) {
					wasAsked = true;
					await api.post(`/sessions/${id}/permissions/${request_id}`, { behavior: "allow" });
				}
				const { turns } = (await api.get<ConversationPage>(`/sessions/${id}/conversation`)).body;
				const answer = turns.find(({ role, content }) => role === "assistant" && content !== "");
				return answer && (JSON.parse(answer.content) as Told);
			},
			{ withinMs: 60_000, everyMs: 100, what: `the agent of session ${id} has told its settings` },
		);
		return { told, wasAsked };
	}

	it("come from the first level that has them, for each setting and each level", async () => {
		const sessions = await Promise.all(levels.map((_level, from) => created(from)));
		expect(sessions.map(({ profile_name }) => profile_name)).to.deep.equal([
			"of-profile",
			"of-profile",
			"of-profile",
			"of-usual",
			"of-usual",
		]);
		const answers = await Promise.all(sessions.map(({ id }) => firstAnswer(id)));
		let cells = 0;
		for (const [from, { told, wasAsked }] of answers.entries()) {
			for (const { key, says, seen, value = (level: Level) => level, none } of table) {
				const level = levels.find((one, index) => index >= from && says[one]);
				const wanted = level === undefined ? none : value(level);
				expect(seen(told, wasAsked), `${key}, levels from ${levels[from]} on`).to.equal(wanted);
				if (says[levels[from] ?? "request"] || level === undefined) cells += 1;
			}
		}
		console.log(`      ${cells} cells of ${table.length} settings`);
		const variables = answers.map(({ told }) =>
			Object.keys(told.env)
				.filter((name) => name.startsWith("OF_"))
				.toSorted(),
		);
		expect(variables, "variables are merged by name").to.deep.equal([
			["OF_PRESET", "OF_PROFILE", "OF_TEMPLATE"],
			["OF_PRESET", "OF_PROFILE", "OF_TEMPLATE"],
			["OF_PROFILE", "OF_TEMPLATE"],
			["OF_TEMPLATE", "OF_USUAL"],
			["OF_USUAL"],
		]);
		for (const { id } of sessions) expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
	});

	it("are those of the program when no level has them, and those of a profile that a start names from then on", async () => {
		const { id, ...session } = await posted<Session>("/sessions", { name: "nothing", workload_type: "other" });
		expect(session).to.include({ agent: "builtin", model: "", profile_name: null });
		await sessionReaches(api, id, "running");
		const said = 'echo "$SAID_BY"; git branch --show-current; git remote; ls';
		expect((await ask(api, id, `$ ${said}; pwd`)).trim()).to.equal(`main\n${platform.workspace(id)}`);

		const start = async (body: object): Promise<Session> => {
			expect((await api.post(`/sessions/${id}/stop`)).status).to.equal(200);
			await sessionReaches(api, id, "stopped");
			const { status, text, body: started } = await api.post<Session>(`/sessions/${id}/start`, body);
			expect(status, text).to.equal(200);
			await sessionReaches(api, id, "running");
			return started;
		};
		await posted("/profiles", { name: "later", env_vars: { SAID_BY: "later" } });
		expect(await start({ profile_name: "later" })).to.include({ profile_name: "later" });
		expect(await ask(api, id, "$ echo $SAID_BY")).to.equal("later\n");
		expect((await api.put("/profiles/later", { env_vars: { SAID_BY: "changed" } })).status).to.equal(200);
		expect((await api.delete("/profiles/later")).status).to.equal(204);
		expect(await start({})).to.include({ profile_name: "later" });
		expect(await ask(api, id, "$ echo $SAID_BY")).to.equal("later\n");
		await api.post(`/sessions/${id}/stop`);
		const unknown = await api.post(`/sessions/${id}/start`, { profile_name: "later" });
		expect(unknown.status).to.equal(422);
		expect(unknown.text).to.contain('Profile \\"later\\" does not exist; there are: of-profile, of-usual');
		expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
	});

	it("tells in `warnings` which MCP server of a preset the session cannot start", async () => {
		const mcp_servers = [{ name: "web", type: "stdio", command: "no-such-program" }];
		const { id } = await posted<{ id: string }>("/presets", { name: "of-a-typo", mcp_servers });
		const source = { type: "git", repo: fileUrl(join(folder, "repositories", "request")) };
		const session = await posted<Session>("/sessions", { name: "typo", preset_id: id, agent: "builtin", source });
		await sessionReaches(api, session.id, "running");
		const { body } = await api.get<Session>(`/sessions/${session.id}`);
		expect(body.warnings.at(-1)).to.contain('launch: The MCP server "web" is left out: the session has no program "no');
	});
});
