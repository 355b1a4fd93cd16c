import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parse, stringify } from "yaml";
import {
	agentIds,
	AgentRecordError,
	agentRecordFolder,
	readAgentRecord,
	readAgentRecords,
} from "#shared/wire/agents/agent-records.ts";

interface Lock {
	packages: Record<
		string,
		{ version?: string; integrity?: string; resolved?: string; dependencies?: Record<string, string> }
	>;
}

function json<T>(...path: string[]): T {
	const content: T = JSON.parse(readFileSync(join(agentRecordFolder, ...path), "utf8"));
	return content;
}

describe("the records of coding agents", () => {
	it("can all be read", () => {
		expect([...readAgentRecords().keys()]).to.include.members([
			"builtin",
			"opencode",
			"gemini",
			"qwen",
			"claude",
			"codex",
		]);
	});

	it("leave the folder for temporary files to the pod", () => {
		const named = [...readAgentRecords().values()].flatMap(({ env }) => Object.keys(env));
		expect(named).to.not.include.oneOf(["TMPDIR", "TMP", "TEMP"]);
		expect(named).to.include("CODEX_HOME");
	});

	for (const { id, install } of readAgentRecords().values()) {
		if (!install) continue;

		it(`pin what ${id} is installed from: exact versions with strong checksums, from no named registry`, () => {
			const { dependencies } = json<{ dependencies: Record<string, string> }>(id, "package.json");
			expect(dependencies).to.deep.equal({ [install.package]: install.version });
			const { "": root, ...packages } = json<Lock>(id, "package-lock.json").packages;
			expect(root?.dependencies).to.deep.equal(dependencies);
			expect(packages[`node_modules/${install.package}`]?.version).to.equal(install.version);
			const wrong = Object.values(packages).filter(
				({ integrity = "", resolved }) => !integrity.startsWith("sha512-") || resolved !== undefined,
			);
			expect(wrong).to.deep.equal([]);
		});
	}
});

describe("readAgentRecord()", () => {
	let folder: string;
	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-records-"));
		cpSync(join(agentRecordFolder, "opencode.yaml"), join(folder, "opencode.yaml"));
	});
	after(() => rmSync(folder, { recursive: true }));

	const good: object = parse(readFileSync(join(agentRecordFolder, "opencode.yaml"), "utf8"));

	const wrong: [what: string, change: object, words: RegExp][] = [
		["another id than its file", { id: "other" }, /line 1, "id": it has to be "wrong", as the file is called$/],
		["a command that is no list", { command: "run" }, /"command": .*array/],
		["no command", { command: [] }, /"command": /],
		["a field that does not exist", { mcps: "both" }, /line \d+: "mcps" is not a key of coding agents$/],
		[
			"a field that does not exist, further down",
			{ modes: { ask: "a", never: "b" } },
			/"modes\.never" is not a key of coding agents$/,
		],
		[
			"a wire format that does not exist",
			{ wires: { morse: {} } },
			/"wires\.morse": there is no such wire format; known: openai-chat, /,
		],
		["a model to need, and no wire format", { wires: {} }, /"wires": an agent that needs a model has one$/],
		["a variable that is a number", { env: { A: 1 } }, /"env\.A": it has to be text or a map$/],
		["a file outside its home", { files: [{ path: "../x", format: "json", content: {} }] }, /"files\.0\.path": /],
		["a wildcard for its permissions", { permission_files: [".x/*.json"] }, /"permission_files\.0": /],
		["a folder at the root", { keeps: ["/etc"] }, /"keeps\.0": /],
		[
			"a version that is a range",
			{ install: { package: "p", version: "^1.0.0", size_mb: 1, licence: "MIT", entry: "e" } },
			/"install\.version": /,
		],
		["two mistakes", { mcps: "both", command: "run" }, /"mcps" is not a key of coding agents; line \d+, "command": /],
		["no memory", { memory_mb: undefined }, /"memory_mb": /],
	];
	for (const [what, change, words] of wrong) {
		it(`refuses one with ${what}, naming the file and the field`, () => {
			writeFileSync(join(folder, "wrong.yaml"), stringify({ ...good, id: "wrong", ...change }));
			expect(() => readAgentRecord("wrong", folder))
				.to.throw(AgentRecordError, words)
				.with.property("message")
				.that.includes(join(folder, "wrong.yaml"));
		});
	}

	it("refuses what is no YAML", () => {
		writeFileSync(join(folder, "wrong.yaml"), "id: [");
		expect(() => readAgentRecord("wrong", folder)).to.throw(
			AgentRecordError,
			/^Cannot read the record of a coding agent ".*wrong\.yaml"/,
		);
	});

	it("reads the records of a folder by their files", () => {
		expect(agentIds(folder)).to.deep.equal(["opencode", "wrong"]);
	});
});
