/** The lint rules detect their violations: each one is planted in a copy of the tree and must be found alone. */
import { expect } from "chai";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { importing, imports, opening } from "./importing.ts";
import { allowedArrows, forbiddenArrows, type Plant } from "./planted-arrows.ts";
import { allowedSockets, plantedSockets } from "./planted-sockets.ts";

const root = join(import.meta.dirname, "../..");

interface Finding {
	filename: string;
	code: string;
	/** The sentence of our configuration, if it has one. */
	help?: string;
}

interface Report {
	diagnostics: Finding[];
	number_of_files: number;
}

const properties = "eslint(no-restricted-properties)";
const globals = "eslint(no-restricted-globals)";

const openers = ["readFile", "open", "cp", "copyFile", "writeFile", "truncate"];
const atOnce = ["createReadStream", "openSync", "readFileSync", "writeFileSync", "promises"];
const runtimes = "services/pod-manager/pod-runtimes";
const pods = `${runtimes}/local-process`;

const planted: Plant[] = [
	...forbiddenArrows(),
	{
		file: "services/sessions/foreign.ts",
		source: importing("#services/gateway/thing.ts"),
		rule: imports,
		says: "contract",
	},
	{
		file: "services/sessions/foreign-relative.ts",
		source: importing("../gateway/thing.ts"),
		rule: imports,
		says: "contract",
	},
	{
		file: "services/sessions/foreign-type.ts",
		source: `import type { X } from "#services/gateway/thing.ts";\nexport type Y = X;\n`,
		rule: imports,
		says: "contract",
	},
	{
		file: "services/sessions/foreign-export.ts",
		source: `export * from "#services/gateway/thing.ts";\n`,
		rule: imports,
		says: "contract",
	},
	{
		file: "services/sessions/foreign.service.ts",
		source: importing("#services/gateway/thing.ts"),
		rule: imports,
		says: "contract",
	},
	{ file: "services/sessions/to-agent.ts", source: importing("#agent/thing.ts"), rule: imports, says: "program" },
	{ file: "host/start.ts", source: importing("../services/gateway/thing.ts"), rule: imports, says: "contract" },
	{ file: "agent/to-service.ts", source: importing("#services/gateway/thing.ts"), rule: imports, says: "contract" },
	{
		file: "shared/net/to-service.ts",
		source: importing("#services/gateway/thing.ts"),
		rule: imports,
		says: "contract",
	},
	{ file: "shared/net/to-agent.ts", source: importing("../../agent/thing.ts"), rule: imports, says: "program" },
	{
		file: "shared/contracts/to-clock.ts",
		source: importing("#shared/base/clock.ts"),
		rule: imports,
		says: "values only",
	},
	{
		file: "shared/contracts/group/to-clock.ts",
		source: importing("#shared/base/clock.ts"),
		rule: imports,
		says: "values only",
	},
	{ file: "shared/contracts/to-package.ts", source: importing("yaml"), rule: imports, says: "values only" },
	{ file: "services/sessions/framework.ts", source: importing("moleculer"), rule: imports, says: "framework" },
	{ file: "agent/framework.ts", source: importing("moleculer"), rule: imports, says: "framework" },
	{ file: "shared/net/framework.ts", source: importing("moleculer"), rule: imports, says: "framework" },
	{ file: "services/sessions/driver.ts", source: importing("mongodb"), rule: imports, says: "driver" },
	{ file: "shared/store/embedded-store.ts", source: importing("mongodb"), rule: imports, says: "driver" },
	{
		file: "services/gateway/adapter.ts",
		source: importing("./identity-providers/dev.ts"),
		rule: imports,
		says: "Adapters",
	},
	{
		file: "services/sessions/adapter.ts",
		source: importing("#shared/store/embedded-store.ts"),
		rule: imports,
		says: "Adapters",
	},
	{ file: "cli/to-bus.ts", source: importing("#shared/contracts/contract.ts"), rule: imports, says: "HTTP" },
	{ file: "cli/to-service.ts", source: importing("#services/gateway/thing.ts"), rule: imports, says: "contract" },
	{ file: "services/sessions/to-test.ts", source: importing("../../test/thing.ts"), rule: imports, says: "tests" },
	{
		file: "agent/timers.ts",
		source: importing("node:timers/promises", "{ setTimeout as x }"),
		rule: imports,
		says: "clock",
	},
	{
		file: "agent/environment-import.ts",
		source: importing("node:process", "{ env as x }"),
		rule: imports,
		says: "environment",
	},
	{
		file: "agent/io/environment.ts",
		source: `export const x = process.env["HOME"];\n`,
		rule: properties,
		says: "environment",
	},
	{ file: "shared/config/config.ts", source: "export const x = Date.now();\n", rule: properties, says: "clock" },
	{ file: "cli/monotonic.ts", source: "export const x = performance.now();\n", rule: properties, says: "clock" },
	{ file: "agent/signal.ts", source: "export const x = AbortSignal.timeout(1);\n", rule: properties, says: "clock" },
	{ file: "shared/net/timer.ts", source: "export const x = setTimeout(() => 1, 1);\n", rule: globals },
	{ file: "services/start-interval.ts", source: "export const x = setInterval(() => 1, 1);\n", rule: globals },
	...[
		"services/sessions/prints.ts",
		"services/prints.ts",
		"shared/net/prints.ts",
		"agent/prints.ts",
		"agent/builtin/prints.ts",
	].map((file) => ({ file, source: `console.error("x");\n`, rule: "eslint(no-console)" })),
	...openers.map((name) => opening(`agent/opens-${name}.ts`, "node:fs/promises", name)),
	...openers.map((name) => opening(`${pods}/opens-${name}.ts`, "node:fs/promises", name)),
	...[pods, `${runtimes}/machine`].map((folder) => ({
		...opening(`${folder}/lists.ts`, "node:fs/promises", "opendir"),
		says: "folder-entries.ts",
	})),
	...[
		["containers/helpers/to-processes.ts", "../../local-process/thing.ts"],
		["local-process/to-containers.ts", "../containers/thing.ts"],
		["machine/to-containers.ts", "../containers/thing.ts"],
		["machine/to-processes.ts", "../local-process/thing.ts"],
	].map(([file = "", module = ""]) => ({
		file: `${runtimes}/${file}`,
		source: importing(module),
		rule: imports,
		says: "A runtime knows no other one",
	})),
	...atOnce.map((name) => opening(`agent/opens-at-once-${name}.ts`, "node:fs", name)),
	{ ...opening("agent/opens-all.ts", "node:fs", "x"), source: importing("node:fs", "* as x") },
	{ ...opening("agent/opens-default.ts", "node:fs/promises", "x"), source: importing("node:fs/promises", "x") },
	...[
		"services/sessions/calls.ts",
		"services/sessions/record/calls.ts",
		"services/gateway/calls.service.ts",
		"shared/net/calls.ts",
	].flatMap((file) => [
		{ file, source: importing("node:https", "{ request as x }"), rule: imports, says: "shared/net/outbound" },
		{
			file: file.replace("calls", "fetches"),
			source: `export const x = fetch("https://x.example");\n`,
			rule: globals,
		},
	]),
	...["node:http", "node:net", "node:tls", "node:http2"].map((module) => ({
		file: `shared/net/calls-${module.slice(5)}.ts`,
		source: importing(module, "* as x"),
		rule: imports,
		says: "shared/net/outbound",
	})),
	...plantedSockets,
	...[
		["services/sessions/decides.ts", "#shared/base/principal.ts"],
		["services/sessions/record/decides.ts", "#shared/base/principal.ts"],
		["services/gateway/decides.service.ts", "#shared/base/principal.ts"],
		["shared/store/decides.ts", "#shared/base/principal.ts"],
	].map(([file = "", module = ""]) => ({
		file,
		source: importing(module, "{ isAdmin as x }"),
		rule: imports,
		says: "shared/contracts/access",
	})),
	{ file: "agent/any.ts", source: "export const x: any = 1;\n", rule: "typescript(no-explicit-any)" },
	{
		file: "agent/floating.ts",
		source: "async function f(): Promise<void> {}\nexport function g(): void {\n\tf();\n}\n",
		rule: "typescript(no-floating-promises)",
	},
];

/** Similar code that is allowed; none of it may be reported. */
const allowed: Record<string, string> = {
	...allowedArrows(),
	"services/pod-manager/pod-runtimes/local-process/thing.ts": importing("../machine/thing.ts"),
	"services/pod-manager/pod-runtimes/containers/thing.ts": importing("../machine/thing.ts"),
	"services/gateway/thing.ts": `import type { Z } from "#shared/base/clock.ts";\nexport const x: Z = 1;\n`,
	"services/gateway/identity-providers/dev.ts": importing("../callers/thing.ts"),
	"services/gateway/identity-providers/oidc.ts": importing("../http/thing.ts"),
	"shared/contracts/three.ts": importing("./group/four.ts"),
	"shared/contracts/group/four.ts": importing("#shared/base/schema/schema.ts"),
	"shared/contracts/group/five.ts": importing("../one.ts"),
	"services/sessions/wiring.service.ts": importing("moleculer"),
	"shared/bus/service.ts": importing("moleculer"),
	"host/platform-process.ts": `${importing("moleculer")}console.log("x");\n`,
	"shared/store/mongodb-store.ts": importing("mongodb"),
	"shared/contracts/one.ts": importing("./contract.ts"),
	"shared/contracts/two.ts": importing("./one.ts"),
	"shared/contracts/access/access-table.ts": importing("#shared/base/principal.ts", "{ isAdmin as x }"),
	"services/sessions/names.ts": importing("#shared/base/principal.ts", "{ isPerson as x }"),
	...allowedSockets,
	"shared/base/clock.ts": `import { setTimeout as x } from "node:timers/promises";\nexport type Z = number;\nexport const y = [x, setTimeout, Date.now(), process.env["X"]];\n`,
	"shared/base/failpoints.ts": `export const x = process.env["X"];\n`,
	"agent/thing.ts": importing("#shared/base/clock.ts"),
	"agent/connects.ts": `${importing("node:net", "{ connect as x }")}export const z = fetch("https://x.example");\n`,
	"services/gateway/serves.ts": importing("node:http", "{ createServer as x }"),
	"services/sessions/pod/asks.ts": `export const x = fetch("https://x.example");\n`,
	"agent/builtin/stderr-log.ts": `console.error("x");\n`,
	"cli/prints.ts": `console.log("x");\n`,
	"agent/folders.ts": importing("node:fs/promises", "{ mkdir as x }"),
	"shared/base/files/untrusted-file.ts": importing("node:fs/promises", "{ open as x }"),
	"services/blueprints/own-files.ts": importing("node:fs/promises", "{ readFile as x }"),
	"cli/config.ts": importing("#shared/config/config.ts"),
	"cli/agents.ts": importing("#shared/wire/agents/agent-records.ts"),
	"test/thing.ts": `${importing("#services/gateway/identity-providers/dev.ts")}export const z = [Date.now(), process.env["X"]];\n`,
};

const circle: Record<string, string> = {
	"agent/circle-a.ts": importing("./circle-b.ts", "type { x }").replace("const y = x", "type y = x"),
	"agent/circle-b.ts": importing("./circle-a.ts", "{ y as x }"),
};

describe("lint", function () {
	this.timeout(30_000);
	let tree: string;
	let report: Report;

	before(async () => {
		tree = mkdtempSync(join(tmpdir(), "atelier-lint-"));
		for (const file of ["oxlint.config.ts", "oxlint.layers.ts", "oxlint.modules.ts", "tsconfig.json", "package.json"])
			cpSync(join(root, file), join(tree, file));
		symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
		for (const { file, source } of planted) plant(file, source);
		for (const [file, source] of Object.entries({ ...allowed, ...circle })) plant(file, source);
		report = await lint(tree);
	});

	after(() => rmSync(tree, { recursive: true, force: true }));

	function plant(file: string, source: string): void {
		mkdirSync(dirname(join(tree, file)), { recursive: true });
		writeFileSync(join(tree, file), source);
	}

	function findingsIn(file: string): Finding[] {
		return report.diagnostics.filter(({ filename }) => filename === file);
	}

	for (const { file, rule, says = "" } of planted) {
		it(`finds what is planted in ${file}`, () => {
			const findings = findingsIn(file);
			// An import may be refused by two sentences of one rule, e.g. that of an adapter.
			expect([...new Set(findings.map(({ code }) => code))]).to.deep.equal([rule]);
			expect(findings.map(({ help }) => help ?? "").join("\n")).to.include(says);
		});
	}

	it("finds a circle of imports, from each of its files", () => {
		for (const file of Object.keys(circle)) {
			expect(findingsIn(file).map(({ code }) => code)).to.deep.equal(["import(no-cycle)"]);
		}
	});

	it("says nothing about what is allowed", () => {
		const mentioned = report.diagnostics.filter(({ filename }) => filename in allowed);
		expect(mentioned.map(({ filename, code, help }) => `${filename}: ${code} ${help ?? ""}`)).to.deep.equal([]);
	});

	it("reads every file", () => {
		const files = new Set([...planted.map(({ file }) => file), ...Object.keys(allowed), ...Object.keys(circle)]);
		// The configuration of lint is three files.
		expect(report.number_of_files).to.equal(files.size + 3);
	});

	it("ends with a sentence when a folder has no row in the table of layers", async () => {
		for (const folder of ["shared/drawer", "services/sessions/drawer", "services/drawer/inner"]) {
			const file = join(tree, folder, "thing.ts");
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, "export const x = 1;\n");
			expect(await oxlint(tree, [])).to.match(/The folder (shared|services).*drawer.* has no row in oxlint.layers.ts/s);
			rmSync(join(tree, folder.replace("/inner", "")), { recursive: true });
		}
		expect(await oxlint(tree, [])).to.not.include("has no row");
	});

	it("reads the project's own folders too", async () => {
		const listed = await oxlint(root, ["--debug=files"]);
		for (const folder of ["shared", "host", "services", "agent", "cli", "test"]) {
			expect(
				listed.split("\n").filter((line) => line.startsWith(`${folder}/`)),
				folder,
			).to.have.length.above(0);
		}
	});
});

async function lint(folder: string): Promise<Report> {
	const report: Report = JSON.parse(await oxlint(folder, ["--format=json"]));
	return report;
}

/** Returns the linter's output. The linter fails when it finds something, which is expected here. */
function oxlint(folder: string, options: string[]): Promise<string> {
	const program = join(root, "node_modules/oxlint/bin/oxlint");
	return new Promise((resolve) => {
		execFile(process.execPath, [program, ...options], { cwd: folder }, (_error, stdout) => resolve(stdout));
	});
}
