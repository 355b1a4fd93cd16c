import { expect } from "chai";
import { mayChangePrompt, mayReadPrompt, projectRepo } from "#services/blueprints/prompts/prompt-rules.ts";
import type { Principal } from "#shared/bus/principal.ts";
import { InvalidParametersError } from "#shared/errors.ts";

const prompt = { tenant: "acme", owner: "alice" };

function person(id: string, tenant: string, ...roles: string[]): Principal {
	return { kind: "user", id, tenant, roles };
}

describe("the rules of prompts", () => {
	for (const [who, principal, reads, changes] of [
		["its creator", person("alice", "acme"), true, true],
		["somebody else of the tenant", person("bob", "acme"), true, false],
		["an administrator of the tenant", person("eve", "acme", "admin"), true, true],
		["somebody of another tenant with the same name", person("alice", "other"), false, false],
		["an administrator of another tenant", person("carol", "other", "admin"), false, false],
	] as const)
		it(`let ${who} ${reads ? "read" : "not read"} and ${changes ? "change" : "not change"} it`, () => {
			expect([mayReadPrompt(principal, prompt), mayChangePrompt(principal, prompt)]).to.deep.equal([reads, changes]);
		});

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
