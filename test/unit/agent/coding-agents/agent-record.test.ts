import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { fillRecord, readAgentRecord, type ReachableModel } from "#agent/coding-agents/agent-record.ts";
import { LaunchFailure } from "#agent/io/launch-failure.ts";

const nowhere = { model: "", compile_cache: "" };

const reachable: ReachableModel = {
	model: "m1",
	context_window: 64_000,
	proxy: {
		token: "t0",
		url: (wire) => (wire === "gemini" || wire === "anthropic" ? `http://127.0.0.1:7/${wire}` : undefined),
	},
};

const written: WrittenAgent = {
	id: "x",
	title: "X",
	command: ["{node}", "{unknown}", "a{model}b"],
	env: { M: "{model}", N: "n", EMPTY: "{compile_cache}" },
	files: [],
	keeps: [],
	permission_files: [],
	wires: {},
	needs_model: false,
	own_model: true,
	usage: "none",
	mcp: "both",
	loads: true,
	changes_mode: true,
	mode_outputs: {},
	asks: [],
	end_signal: "none",
	chatter: "",
	late_update_ms: 300,
	memory_mb: 256,
	proven: false,
};

describe("readAgentRecord()", () => {
	it("finds the built-in agent on any machine", async () => {
		const { id, command, env, late_update_ms: late } = await readAgentRecord("builtin", { ...nowhere, model: "m1" });
		expect([id, command[0], env, late]).to.deep.equal(["builtin", process.execPath, { ATELIER_MODEL: "m1" }, 0]);
	});

	it("names the known agents for an unknown name", async () => {
		const failure = await readAgentRecord("nobody", nowhere).catch((error: unknown) => error);
		expect(failure)
			.to.be.instanceOf(LaunchFailure)
			.with.property("message")
			.that.matches(/^There is no coding agent "nobody"; known: builtin/);
	});
});

describe("fillRecord()", () => {
	for (const [own_model, model, has_model] of [
		[true, undefined, true],
		[false, undefined, false],
		[true, reachable, true],
		[false, reachable, true],
	] as const) {
		const session = model ? "a model" : "no model";
		it(`says that an agent ${has_model ? "has" : "lacks"} a model: own ${own_model}, session ${session}`, () => {
			const record = { ...written, own_model, wires: { gemini: {} } };
			expect(fillRecord(record, { ...nowhere, reachable: model }).has_model).to.equal(has_model);
		});
	}

	it("fills known placeholders and leaves out empty variables", () => {
		const { command, env, modes } = fillRecord(written, nowhere);
		expect(command).to.deep.equal([process.execPath, "{unknown}", "ab"]);
		expect([env, modes]).to.deep.equal([{ N: "n" }, { ask: "", auto: "" }]);
	});

	it("uses the first wire format that the provider speaks too, with the record's placeholders for it", () => {
		const wires = { "openai-chat": { sdk: "o" }, anthropic: { sdk: "a", tail: "/v1" }, gemini: { sdk: "g" } };
		const env = {
			ONE: "{model_wire} {wire:sdk} {model_url}{wire:tail} {model_token}",
			OTHER: "{model_url:gemini}",
			MAP: { "{model}": { context: "{model_context}", list: ["{wire:sdk}"], on: true } },
		};
		expect(fillRecord({ ...written, needs_model: true, wires, env }, { ...nowhere, reachable }).env).to.deep.equal({
			ONE: "anthropic a http://127.0.0.1:7/anthropic/v1 t0",
			OTHER: "http://127.0.0.1:7/gemini",
			MAP: '{"m1":{"context":64000,"list":["a"],"on":true}}',
		});
	});

	it("says why an agent that needs a model cannot have the session's", () => {
		const needy = { ...written, needs_model: true, wires: { "openai-chat": {} } };
		expect(() => fillRecord(needy, nowhere)).to.throw(
			LaunchFailure,
			/^The coding agent "x" needs a model, and the session/,
		);
		expect(() => fillRecord(needy, { ...nowhere, reachable })).to.throw(
			LaunchFailure,
			'The coding agent "x" speaks openai-chat; model "m1" speaks anthropic, gemini',
		);
	});

	it("names everything at once for a missing agent and an unusable model", () => {
		const install = { package: "p", version: "1.2.3", size_mb: 1, licence: "MIT", entry: "e", scripts: false };
		const record = { ...written, needs_model: true, wires: { gemini: {} }, install };
		const refusal = { model: "m2", reason: 'Model "m2" cannot be used', wires: ["anthropic" as const] };
		const missing = [
			'Model "m2" cannot be used',
			'The coding agent "x" speaks gemini; model "m2" speaks anthropic',
			"The coding agent \"x\" is not installed; install it with: DATA_DIR='/it'\\''s here' npm run agents -- install x",
		];
		expect(() => fillRecord(record, { ...nowhere, refusal, agents: "/it's here/agents" })).to.throw(
			LaunchFailure,
			new RegExp(`^${RegExp.escape(missing.join(". "))}$`),
		);
	});

	it("starts an agent that needs no model, and tells it why it has none", () => {
		const record = { ...written, wires: { gemini: {} }, env: { WHY: "{model_refusal}" } };
		const refusal = { model: "m2", reason: 'There is no model "m2"', wires: [] };
		expect(fillRecord(record, { ...nowhere, refusal }).env).to.deep.equal({ WHY: 'There is no model "m2"' });
		const strange = {
			...reachable,
			proxy: { token: "t", url: (wire: string) => (wire === "anthropic" ? "u" : undefined) },
		};
		expect(fillRecord(record, { ...nowhere, reachable: strange }).env).to.deep.equal({
			WHY: 'The coding agent "x" speaks gemini; model "m1" speaks anthropic',
		});
		expect(fillRecord(record, { ...nowhere, reachable }).env).to.deep.equal({});
	});

	it("writes configuration files with any name of a model, as JSON and as TOML", () => {
		const content = {
			model: "{model}",
			deep: { "a b": "{model_url:gemini}", n: "{model_context}" },
			list: ["x", true],
		};
		const files = [
			{ path: ".x/settings.json", format: "json" as const, content },
			{ path: ".x/config.toml", format: "toml" as const, content },
		];
		const odd = { ...reachable, model: 'say "hi"\n[x]' };
		const record = { ...written, needs_model: true, wires: { gemini: {} }, files };
		const [json, toml] = fillRecord(record, { ...nowhere, reachable: odd }).files;
		expect(JSON.parse(json?.text ?? "")).to.deep.equal({
			model: odd.model,
			deep: { "a b": "http://127.0.0.1:7/gemini", n: 64_000 },
			list: ["x", true],
		});
		expect(toml?.text).to.equal(
			'model = "say \\"hi\\"\\n[x]"\nlist = ["x", true]\n[deep]\n"a b" = "http://127.0.0.1:7/gemini"\nn = 64000\n',
		);
	});

	describe("of an agent that is installed on request", () => {
		const install = { package: "p", version: "1.2.3", size_mb: 1, licence: "MIT", entry: "e", scripts: false };
		const record = { ...written, command: ["{agents}/bin/x"], install };
		let agents: string;
		before(() => (agents = mkdtempSync(join(tmpdir(), "atelier-installed-"))));
		after(() => rmSync(agents, { recursive: true }));

		it("names the command that installs an agent that is missing, incomplete, or another version", () => {
			const command = `DATA_DIR=${dirname(agents)} npm run agents -- install x`;
			const sentence = `The coding agent "x" is not installed; install it with: ${command}`;
			expect(() => fillRecord(record, { ...nowhere, agents })).to.throw(LaunchFailure, sentence);
			mkdirSync(join(agents, "x"));
			expect(() => fillRecord(record, { ...nowhere, agents })).to.throw(LaunchFailure, sentence);
			writeFileSync(join(agents, "x", "installed.json"), JSON.stringify({ version: "1.2.2" }));
			expect(() => fillRecord(record, { ...nowhere, agents })).to.throw(
				LaunchFailure,
				`The coding agent "x" is installed in version 1.2.2, not 1.2.3; install it with: ${command}`,
			);
		});

		it("starts an installed agent from its folder", () => {
			writeFileSync(join(agents, "x", "installed.json"), JSON.stringify({ version: "1.2.3" }));
			expect(fillRecord(record, { ...nowhere, agents }).command).to.deep.equal([join(agents, "x", "bin/x")]);
		});
	});
});
