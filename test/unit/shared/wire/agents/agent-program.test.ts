import { expect } from "chai";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { agentProgram } from "#shared/wire/agents/agent-program.ts";

const programs = ["agent/main.ts", "agent/builtin/main.ts", "agent/read-folder.ts", "agent/deliver.ts"];

const importing = /^(?:import|export) (?!type )([^;"=]*?)\bfrom "([^"]+)"/gm;
const loading = /\bimport\("([^"]+)"\)/g;

/** Returns what a module loads at its start. Node loads nothing for an import that names types only. */
function loadedBy(text: string): string[] {
	return [...text.matchAll(importing)].flatMap(([, names = "", from = ""]) => {
		const inBraces = /^\s*\{(.*)\}\s*$/s
			.exec(names)?.[1]
			?.split(",")
			.filter((name) => name.trim() !== "");
		return inBraces?.every((name) => name.trim().startsWith("type ")) === true ? [] : [from];
	});
}

/** Returns the packages that modules load, also through each other. @param isLazy Whether those that they may load later count. */
function packagesOf(roots: readonly string[], isLazy: boolean): string[] {
	const files = new Set(roots);
	const packages = new Set<string>();
	// The iteration over a growing set also visits the added members.
	for (const file of files) {
		const text = readFileSync(join(projectRoot, file), "utf8");
		const later = isLazy ? [...text.matchAll(loading)].map(([, from = ""]) => from) : [];
		for (const from of [...loadedBy(text), ...later]) {
			if (from.startsWith("#")) files.add(from.slice(1));
			else if (from.startsWith(".")) files.add(normalize(join(dirname(file), from)));
			else if (!from.startsWith("node:")) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from);
		}
	}
	expect(files.size).to.be.above(roots.length + 20);
	return [...packages].toSorted();
}

describe("the program of session pods", () => {
	it("has all packages that its modules load", async () => {
		const paths = await agentProgram(projectRoot);
		const needed = packagesOf(programs, true).map((name) => join("node_modules", name));
		expect(needed.filter((path) => !paths.includes(path))).to.deep.equal([]);
	});

	it("loads one package before its coding agent starts, and above all not the framework of the platform", () => {
		const start = ["agent/main.ts", "agent/session-agent.ts", "shared/model-proxy/model-proxy.ts"];
		expect(packagesOf(start, false)).to.deep.equal(["fastest-validator"]);
	});
});
