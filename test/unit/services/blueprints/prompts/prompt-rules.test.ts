import { expect } from "chai";
import { projectRepo } from "#services/blueprints/prompts/prompt-rules.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";

describe("the rules of prompts", () => {
	it("want a repository of a project's prompt, and keep none of a global one", () => {
		expect(projectRepo("global", "https://git.example/a")).to.equal(null);
		expect(projectRepo("project", " https://git.example/a ")).to.equal("https://git.example/a");
		expect(projectRepo("project", "git@git.example:a/b")).to.equal("git@git.example:a/b");
		for (const wrong of [null, "", "  "]) expect(() => projectRepo("project", wrong)).to.throw(InvalidParametersError);
	});

	for (const wrong of [
		"https://user:secret@git.example/a",
		"https://secret@git.example/a",
		"HTTPS://secret@git.example/a",
		"ssh://git:secret@git.example/a",
		"user:secret@git.example/a",
		"https://user:a secret@git.example/a",
		"https:/user:secret@git.example/a",
		"https:\\\\user:secret@git.example/a",
	])
		it(`refuse the repository "${wrong}", because everybody of the tenant would read its credentials`, () => {
			expect(() => projectRepo("project", wrong)).to.throw(InvalidParametersError);
		});

	for (const repo of [
		"ssh://git@git.example/a",
		"SSH://git@git.example:22/a",
		"https://git.example/a@b",
		"git.example:22/a@b",
	])
		it(`accept the repository "${repo}", which has no credentials`, () => {
			expect(projectRepo("project", repo)).to.equal(repo);
		});
});
