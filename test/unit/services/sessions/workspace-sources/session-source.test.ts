import { expect } from "chai";
import { resolveSource } from "#services/sessions/workspace-sources/session-source.ts";
import { type Template, template as templateFields } from "#shared/contracts/templates.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { completed } from "../../../../support/completed.ts";
import { sessionCreate } from "../../../../support/platform/session-record.ts";

const [a, b] = ["https://git.example/a.git", "https://git.example/b.git"];

const blueprint = completed(templateFields, { name: "t", repos: [{ url: b, branch: "of-template" }] });

function resolved(request: Partial<SessionCreate>, from?: Template) {
	const { repo, branch, base_branch } = resolveSource(sessionCreate(request), from ?? {}, ["https"]);
	return [repo, branch, base_branch];
}

describe("resolveSource()", () => {
	type Row = [what: string, request: Partial<SessionCreate>, from: Template | undefined, resolved: string[]];
	const table: Row[] = [
		["nothing", {}, undefined, ["", "main", ""]],
		["the flat form", { repo: a, branch: "x" }, undefined, [a, "x", ""]],
		[
			"the structured form",
			{ source: { type: "git", repo: a, branch: "x", base_branch: "y" } },
			undefined,
			[a, "x", "y"],
		],
		["both: the structured one", { repo: b, branch: "z", source: { type: "git", repo: a } }, undefined, [a, "", ""]],
		["the template", {}, blueprint, [b, "of-template", ""]],
		["the template with another branch", { branch: "x" }, blueprint, [b, "x", ""]],
		["a repository of its own, whose branch is not the template's", { repo: a }, blueprint, [a, "", ""]],
		["a template without a branch", {}, { ...blueprint, repos: [{ url: b, branch: "", path: "" }] }, [b, "", ""]],
	];
	for (const [what, request, from, expected] of table) {
		it(`reads ${what}`, () => {
			expect(resolved(request, from)).to.deep.equal(expected);
		});
	}

	const refused: [what: string, request: Partial<SessionCreate>, type: string][] = [
		["a protocol that is not allowed", { repo: "http://git.example/a.git" }, "REPOSITORY_REFUSED"],
		["a branch that is an option", { branch: "--upload-pack=x" }, "BRANCH_REFUSED"],
		["a base that is none", { source: { type: "git", repo: a, base_branch: "a..b" } }, "BRANCH_REFUSED"],
	];
	for (const [what, request, type] of refused) {
		it(`refuses ${what}`, () => {
			expect(() => resolved(request))
				.to.throw(UnprocessableError)
				.with.property("type", type);
		});
	}
});
