import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { mountPlace, realMount } from "#shared/wire/pod/local-mounts.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("mountPlace()", () => {
	const table: [path: string, place: string | undefined][] = [
		["/workspace", ""],
		["/workspace/", ""],
		["/", ""],
		["/workspace/api", "api"],
		["/api", "api"],
		["/workspaces", "workspaces"],
		["/workspace/libs/a/", "libs/a"],
		["/workspace/../etc", undefined],
		["/workspace/.git", undefined],
		["/a b", undefined],
		["api", undefined],
		["", undefined],
	];
	for (const [path, place] of table) {
		it(`is ${JSON.stringify(place)} for ${JSON.stringify(path)}`, () => {
			expect(mountPlace(path)).to.equal(place);
		});
	}
});

describe("realMount()", () => {
	const folder = useFolder();
	const at = (...parts: string[]) => join(folder(), ...parts);
	beforeEach(() => {
		for (const name of ["allowed/code/api", "allowed/platform/data", "outside/secret", "allowed-not"])
			mkdirSync(at(name), { recursive: true });
		writeFileSync(at("allowed/file"), "");
		symlinkSync(at("outside"), at("allowed/escape"));
		symlinkSync(at("allowed/code"), at("allowed/alias"));
		symlinkSync(at("allowed"), at("other-name"));
	});
	const real = (path: string, prefixes = [at("allowed")]) =>
		realMount(path, { allowed_prefixes: prefixes, refused: [at("allowed/platform/data")] });

	it("finds folders at and below the allowed ones, behind links inside, too", async () => {
		expect(await real(at("allowed/code"))).to.deep.equal({ folder: at("allowed/code") });
		expect(await real(at("allowed/code/api/"))).to.deep.equal({ folder: at("allowed/code/api") });
		expect(await real(at("allowed/alias/api"))).to.deep.equal({ folder: at("allowed/code/api") });
		expect(await real(at("other-name/code"), [at("other-name")])).to.deep.equal({ folder: at("allowed/code") });
		expect(await real(at("outside"), ["/"])).to.deep.equal({ folder: at("outside") });
	});

	const refused: [what: string, path: () => string, words: RegExp][] = [
		["a folder outside", () => at("outside"), /is not below one of the allowed folders/],
		["a neighbour with a longer name", () => at("allowed-not"), /is not below one/],
		["a link that leads outside", () => at("allowed/escape"), /is not below one/],
		["a folder behind such a link", () => at("allowed/escape/secret"), /is not below one/],
		["two dots", () => `${at("allowed")}/../outside`, /absolute path without "\.\."/],
		["a relative path", () => "allowed", /absolute path/],
		["a path with a null character", () => `${at("allowed")}\0`, /absolute path/],
		["a folder that is not there", () => at("allowed/none"), /There is no folder/],
		["a file", () => at("allowed/file"), /There is no folder/],
		["one outside that is not there, in the same words", () => at("outside/none"), /is not below one/],
		["the data of the platform", () => at("allowed/platform/data"), /holds data of the platform/],
		["a folder around them", () => at("allowed/platform"), /holds data of the platform/],
	];
	for (const [what, path, words] of refused) {
		it(`refuses ${what}`, async () => {
			const found = await real(path());
			expect("refused" in found && found.refused).to.match(words);
		});
	}

	it("refuses the copy of a linked git work tree, which may be used itself", async () => {
		const rules = { allowed_prefixes: [at("allowed")], refused: [] };
		writeFileSync(at("allowed/code/.git"), "gitdir: /elsewhere\n");
		expect(await realMount(at("allowed/code"), rules, true))
			.to.have.property("refused")
			.that.includes("read_only: false");
		expect(await realMount(at("allowed/code"), rules)).to.deep.equal({ folder: at("allowed/code") });
		mkdirSync(at("allowed/code/api/.git"));
		expect(await realMount(at("allowed/code/api"), rules, true)).to.deep.equal({ folder: at("allowed/code/api") });
	});

	it("refuses everything without an allowed folder", async () => {
		expect(await real(at("allowed/code"), [])).to.have.property("refused");
	});
});
