import { expect } from "chai";
import { fromWorkspace, treesOfLaunch, wholeTree, workTrees } from "#agent/workspace/work-tree.ts";

describe("workTrees()", () => {
	const at = (...paths: string[]) =>
		workTrees(
			"/w",
			paths.map((path) => ({ path })),
		);

	it("is the workspace itself for one repository without a folder, and without any", () => {
		expect(at("")).to.deep.equal([wholeTree("/w")]);
		expect(at()).to.deep.equal([wholeTree("/w")]);
	});

	it("has the workspace around repositories that lie side by side", () => {
		expect(at("web", "api")).to.deep.equal([
			{ folder: "/w", path: "", isPlain: true, inner: ["api", "web"] },
			{ folder: "/w/api", path: "api", isPlain: false, inner: [] },
			{ folder: "/w/web", path: "web", isPlain: false, inner: [] },
		]);
	});

	it("tells the repositories inside of another one", () => {
		expect(at("", "libs", "libs/a").map(({ path, isPlain, inner }) => [path, isPlain, inner])).to.deep.equal([
			["", false, ["libs", "libs/a"]],
			["libs", false, ["a"]],
			["libs/a", false, []],
		]);
	});

	it("has the folders of the host that lie in the workspace, and never looks into others", () => {
		const mount = (path: string, read_only: boolean) => ({ host_path: "/h", path, read_only });
		const launch = { workspace: "/w", repositories: [] };
		expect(treesOfLaunch({ ...launch, mounts: [mount("", false)] })).to.deep.equal([
			{ ...wholeTree("/w"), isOfHost: true },
		]);
		expect(treesOfLaunch({ ...launch, mounts: [] })).to.deep.equal([wholeTree("/w")]);
		const [around, ...inside] = treesOfLaunch({ ...launch, mounts: [mount("a", true), mount("b", false)] });
		expect(around).to.deep.include({ path: "", isPlain: true, leftOut: ["a", "b"] });
		expect(inside.map(({ path, isLinked }) => [path, isLinked])).to.deep.equal([
			["a", false],
			["b", true],
		]);
	});

	it("names paths below the workspace", () => {
		const [root, api] = at("api");
		expect(root && fromWorkspace(root, "a.ts")).to.equal("a.ts");
		expect(api && fromWorkspace(api, "src/a.ts")).to.equal("api/src/a.ts");
	});
});
