import { expect } from "chai";
import { PathCategories } from "#services/git/confidence/formula/path-categories.ts";
import { PathGlobs } from "#services/git/confidence/formula/path-globs.ts";
import { isLinear } from "../../../../../support/machine/time-ratio.ts";

const defaults = new PathCategories({ categories: {}, dependency_files: [] });

describe("globs for paths", () => {
	const cases: [glob: string, path: string, isMatch: boolean][] = [
		["**/*.md", "README.md", true],
		["**/*.md", "a/b/C.MD", true],
		["**/*.md", "a.md/payload.ts", false],
		["docs/**", "docs", true],
		["docs/**", "docs/a/b", true],
		["docs/**", "src/docs/a", false],
		["**/auth/**", "src/auth/a.ts", true],
		["**/auth/**", "src/author/a.ts", false],
		["**/test_*.py", "x/test_a.py", true],
		["**/*crypt*", "encryption.ts", true],
		["**/*crypt*", "a/b\ncrypt\n.ts", true],
		["*.lock", "a/b.lock", false],
		["a/**/b/**/c", "a/b/b/x/c", true],
		["a/**/b/**/c", "a/x/c", false],
		["**", "any/thing", true],
		["a*b*c", "aXbXbc", true],
		["a*b*c", "aXbX", false],
	];
	for (const [glob, path, isMatch] of cases)
		it(`${glob} ${isMatch ? "matches" : "does not match"} ${JSON.stringify(path)}`, () => {
			expect(new PathGlobs([glob]).matches(path)).to.equal(isMatch);
		});

	it("take no more than quadratic time for hostile names", () => {
		const globs = new PathGlobs(["**/*a*a*a*a*b", "**/a/**/a/**/b"]);
		for (const unit of ["a", "a/"]) {
			const text = (length: number) => unit.repeat(length / unit.length);
			expect(
				isLinear((path) => globs.matches(path), text, 1_000),
				unit,
			).to.equal(true);
		}
	});
});

describe("categories of paths", () => {
	const cases: [path: string, categories: string[]][] = [
		["src/cart.ts", ["code"]],
		["README.md", ["docs"]],
		["test/cart.test.ts", ["test"]],
		["src/auth/login.ts", ["auth"]],
		["docs/security.md", ["security"]],
		["test/auth/login.test.ts", ["auth"]],
		["db/migrations/0001.sql", ["database", "migration"]],
		[".github/workflows/ci.yml", ["ci"]],
		[".github/CODEOWNERS", ["security", "ci"]],
		["src/author.ts", ["code"]],
		["README.md/payload.ts", ["code"]],
		["x".repeat(1_001), ["security"]],
	];
	for (const [path, categories] of cases)
		it(`of ${path.slice(0, 40)} are ${categories.join(", ")}`, () => {
			expect(defaults.of(path)).to.deep.equal(categories);
		});

	it("of manifests and lock files are dependencies too", () => {
		for (const path of ["package.json", "web/package-lock.json", "go.sum", "requirements-dev.txt", ".gitmodules"])
			expect(defaults.isDependencyFile(path), path).to.equal(true);
		expect(defaults.isDependencyFile("src/package.ts")).to.equal(false);
	});

	it("follow the configuration, which replaces single categories", () => {
		const own = new PathCategories({
			categories: { docs: ["handbook/**"], payments: ["pay/**"] },
			dependency_files: ["deps"],
		});
		expect(own.of("handbook/a.html")).to.deep.equal(["docs"]);
		expect(own.of("README.md")).to.deep.equal(["code"]);
		expect(own.of("pay/card.ts")).to.deep.equal(["payments"]);
		expect(own.of("src/auth/a.ts")).to.deep.equal(["auth"]);
		expect([own.isDependencyFile("deps"), own.isDependencyFile("package.json")]).to.deep.equal([true, false]);
	});
});
