import { expect } from "chai";
import { pathsInside, repositoryName, repositoryPath } from "#shared/wire/pod/repository-path.ts";

describe("repositoryPath()", () => {
	const table: [written: string, path: string | undefined][] = [
		["", ""],
		[".", ""],
		["api", "api"],
		["libs//shared/", "libs/shared"],
		["a/../b", "b"],
		["..", undefined],
		["../x", undefined],
		["a/../../x", undefined],
		["/tmp/x", undefined],
		[".git", undefined],
		["a/.git", undefined],
		["*", undefined],
		["a b", undefined],
		["a\0", undefined],
	];
	for (const [written, path] of table) {
		it(`reads ${JSON.stringify(written)} as ${JSON.stringify(path)}`, () => {
			expect(repositoryPath(written)).to.equal(path);
		});
	}
});

describe("repositoryName()", () => {
	const table: [url: string, name: string | undefined][] = [
		["https://git.example/acme/api.git", "api"],
		["https://git.example/acme/api/", "api"],
		["git@git.example:api.git", "api"],
		["file:///srv/web/.git", "web"],
		["https://git.example/acme/.git", "acme"],
		["https://git.example/acme/a%20b", undefined],
		["", undefined],
	];
	for (const [url, name] of table) {
		it(`is ${name} for ${JSON.stringify(url)}`, () => {
			expect(repositoryName(url)).to.equal(name);
		});
	}
});

describe("pathsInside()", () => {
	it("returns what lies inside of a folder, and no neighbours", () => {
		const paths = ["", "api", "api/libs", "apis", "web"];
		expect(pathsInside("", paths)).to.deep.equal(["api", "api/libs", "apis", "web"]);
		expect(pathsInside("api", paths)).to.deep.equal(["libs"]);
		expect(pathsInside("web", paths)).to.deep.equal([]);
	});
});
