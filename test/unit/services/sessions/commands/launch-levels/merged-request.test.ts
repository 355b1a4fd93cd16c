import { expect } from "chai";
import { newPreset } from "#services/blueprints/presets/preset-rules.ts";
import { newProfile } from "#services/blueprints/profiles/profile-rules.ts";
import { launchSettings } from "#services/sessions/commands/launch-settings.ts";
import { type Blueprints, mergedRequest } from "#services/sessions/commands/launch-levels/merged-request.ts";
import { resolveSource } from "#services/sessions/workspace-sources/session-source.ts";
import { presetCreate } from "#shared/contracts/blueprints/presets.ts";
import { profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { template as templateFields } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { unknownId } from "../../../../../support/conformance/request.ts";
import { completed } from "../../../../../support/completed.ts";
import { sessionCreate } from "../../../../../support/platform/session-record.ts";

const levels = ["request", "preset", "profile", "template", "default profile"] as const;
type Level = (typeof levels)[number];

/** The members of each level; a level that is not named says nothing. */
type Saying = Partial<Record<Level, object>>;

function blueprintsOf(saying: Saying): Blueprints {
	const profile = (members: object) => newProfile(completed(profileCreate, members));
	return {
		...(saying.preset && {
			preset: newPreset(completed(presetCreate, { name: "p", ...saying.preset }), unknownId, ""),
		}),
		...(saying.profile && { profile: profile({ name: "fast", ...saying.profile }) }),
		...(saying.template && { template: completed(templateFields, { name: "t", ...saying.template }) }),
		...(saying["default profile"] && { defaultProfile: profile({ name: "usual", ...saying["default profile"] }) }),
	};
}

/** Returns the settings of the launch, and those that reach the session in other ways. */
function mergedOf(saying: Saying): Record<string, unknown> {
	const order = mergedRequest(sessionCreate({ ...saying.request }), blueprintsOf(saying));
	const { request, level } = order;
	const source = resolveSource(request, level, ["https"]);
	const { terminal_restricted, resource_config, integration_ids, workload_type } = request;
	const launch = launchSettings(request, source, level, { protocols: ["https"] });
	return { ...launch, ...source, terminal_restricted, resource_config, integration_ids, workload_type };
}

const server = (name: string) => ({ name, type: "stdio", command: "true" });
const whole = (name: string) => ({ ...server(name), args: [], env: {}, url: "", headers: {} });
const config = (member: string) => (value: string) => ({ workload_config: { [member]: value } });
const same = (member: string) => (value: string) => ({ [member]: value });
const repo = (value: string) => `https://git.example/${value}`;

/** One merged setting: how each level says it, and how it is seen. */
interface Row {
	readonly key: string;
	readonly says: Partial<Record<Level, (value: string) => object>>;
	/** The value that is seen when a level has said it; default the value. */
	readonly seen?: (value: string) => unknown;
	readonly none: unknown;
	/** The five values, when not every text is one. */
	readonly values?: readonly string[];
}

const everyProfile = (say: (value: string) => object) => ({ profile: say, "default profile": say });
const below = (say: (value: string) => object) => ({ preset: say, template: say, ...everyProfile(say) });

const table: readonly Row[] = [
	{ key: "model", says: { request: same("model"), ...below(same("model")) }, none: "" },
	{ key: "system_prompt", says: { request: same("system_prompt"), ...below(same("system_prompt")) }, none: "" },
	{ key: "initial_prompt", says: { request: same("initial_prompt"), ...below(config("initial_prompt")) }, none: "" },
	{
		key: "agent",
		says: { request: same("agent"), ...below(config("agent")), preset: same("cli_tool") },
		values: ["claude", "codex", "gemini", "opencode", "kimi"],
		none: "builtin",
	},
	{
		key: "permission_mode",
		says: { request: same("permission_mode"), ...below(config("permission_mode")) },
		values: ["ask", "auto", "ask", "auto", "ask"],
		none: "auto",
	},
	{
		key: "mcp_servers",
		says: below((name) => ({ mcp_servers: [server(name)] })),
		seen: (name) => [whole(name)],
		none: [],
	},
	{ key: "env", says: below((A) => ({ env_vars: { A } })), seen: (A) => ({ A }), none: {} },
	{
		key: "resource_config",
		says: {
			request: (cpu) => ({ resource_config: { cpu } }),
			...below((cpu) => ({ resource_config: { cpu } })),
		},
		seen: (cpu) => ({ cpu }),
		none: {},
	},
	{
		key: "setup_scripts",
		says: {
			preset: (script) => ({ setup_scripts: [script] }),
			template: (script) => ({ setup_scripts: [script] }),
		},
		seen: (script) => [script],
		none: [],
	},
	{
		key: "working_folder",
		says: { template: (root) => ({ workspace_layout: { root } }) },
		none: "",
	},
	{
		key: "repo",
		says: {
			request: (name) => ({ repo: repo(name) }),
			preset: (name) => ({ source: { type: "git", repo: repo(name) } }),
			template: (name) => ({ repos: [{ url: repo(name) }] }),
		},
		seen: repo,
		none: "",
	},
	{
		key: "integration_ids",
		says: {
			request: (id) => ({ integration_ids: [id] }),
			preset: (id) => ({ integration_ids: [id] }),
		},
		seen: (id) => [id],
		none: [],
	},
];

/** Pairs a level with its value. */
function sayingOf({ says, values = levels.map((level) => level.replace(" ", "-")) }: Row, from: number): Saying {
	const entries = levels.flatMap((level, index): [Level, object][] => {
		const say = says[level];
		return say && index >= from ? [[level, say(values[index] ?? "")]] : [];
	});
	return Object.fromEntries(entries);
}

describe("mergedOrder()", () => {
	let cells = 0;
	for (const row of table) {
		const { key, says, seen = (value: string) => value, values = levels.map((l) => l.replace(" ", "-")) } = row;
		it(`takes ${key} from the first level that has it`, () => {
			for (const [index, level] of levels.entries()) {
				if (!says[level]) continue;
				// A named profile replaces the default one, which is therefore below everything else.
				expect(mergedOf(sayingOf(row, index))[key], level).to.deep.equal(seen(values[index] ?? ""));
				cells += 1;
			}
			expect(mergedOf({})[key], "nothing").to.deep.equal(row.none);
			cells += 1;
		});
	}

	it("has been asked for every setting on every level that can have it", () => expect(cells).to.equal(58));

	it("restricts the terminal when one level does, whatever the others say", () => {
		const restricted = { workload_config: { terminal_restricted: true } };
		for (const saying of [
			{ request: { terminal_restricted: true } },
			{ preset: restricted },
			{ profile: restricted },
			{ template: restricted, request: { terminal_restricted: false } },
			{ "default profile": restricted },
		])
			expect(mergedOf(saying)).to.include({ terminal_restricted: true });
		expect(mergedOf({ template: { workload_config: { terminal_restricted: "yes" } } })).to.include({
			terminal_restricted: false,
		});
	});

	it("merges variables and resources by name", () => {
		const saying: Saying = {
			request: { resource_config: { gpu: "1" } },
			preset: { env_vars: { A: "preset" }, resource_config: { gpu: "2", cpu: "1" } },
			profile: { env_vars: { A: "profile", B: "profile" } },
			template: { env_vars: { A: "template", B: "template", C: "template" }, resource_config: { memory: "1Gi" } },
		};
		const { env, resource_config } = mergedOf(saying);
		expect(env).to.deep.equal({ A: "preset", B: "profile", C: "template" });
		expect(resource_config).to.deep.equal({ gpu: "1", cpu: "1", memory: "1Gi" });
	});

	it("ignores the default profile when another one is named", () => {
		const saying: Saying = {
			profile: { env_vars: { A: "1" } },
			"default profile": { env_vars: { B: "2" }, model: "m" },
		};
		expect(mergedOf(saying)).to.deep.include({ env: { A: "1" }, model: "" });
	});

	it("takes the branches of the request with the repository of the preset", () => {
		const preset = { source: { type: "git", repo: repo("a"), branch: "of-preset", base_branch: "base" } };
		expect(mergedOf({ preset })).to.include({ repo: repo("a"), branch: "of-preset", base_branch: "base" });
		expect(mergedOf({ preset, request: { branch: "mine" } })).to.include({ branch: "mine", base_branch: "base" });
		const asked = { source: { type: "git", branch: "mine", base_branch: "other" } };
		expect(mergedOf({ preset, request: asked })).to.include({ repo: repo("a"), branch: "mine", base_branch: "other" });
		expect(mergedOf({ preset, request: { repo: repo("b") } })).to.include({ repo: repo("b"), branch: "" });
	});

	it("refuses a preset's source that no session may have, naming the preset", () => {
		expect(() => mergedOf({ preset: { source: { type: "svn" } } })).to.throw(
			UnprocessableError,
			/^Preset "p", source: type: /,
		);
	});
});
