import { expect } from "chai";
import { shownRepositories } from "#services/sessions/record/session-update.ts";
import { sessionRepositories } from "#services/sessions/workspace-sources/session-repositories.ts";
import { type Template, template as templateFields } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { maxRepositories } from "#shared/wire/pod/repository-path.ts";
import { completed } from "../../../../support/completed.ts";

const base = "https://git.example";
const own = { type: "git", repo: `${base}/own.git`, branch: "dev", base_branch: "main" } as const;

const template = (...repos: Partial<Template["repos"][number]>[]): Template =>
	completed(templateFields, { name: "t", repos });
const laidOut = (...repos: Partial<Template["repos"][number]>[]) =>
	sessionRepositories(own, template(...repos).repos, ["https"]);

describe("sessionRepositories()", () => {
	it("makes the session's own repository the workspace itself if nothing names a folder", () => {
		const expected = [{ url: own.repo, branch: "dev", base_branch: "main", path: "" }];
		expect(sessionRepositories(own, [], ["https"])).to.deep.equal(expected);
		expect(laidOut({ url: `${base}/other.git` })).to.deep.equal(expected);
	});

	it("puts the own one in the place of the template's first one, and the others beside it", () => {
		const repositories = laidOut(
			{ url: `${base}/api.git`, path: "api" },
			{ url: `${base}/web.git`, branch: "next", path: "clients/web/" },
			{ url: `${base}/docs.git` },
		);
		expect(repositories).to.deep.equal([
			{ url: own.repo, branch: "dev", base_branch: "main", path: "api" },
			{ url: `${base}/web.git`, branch: "next", base_branch: "", path: "clients/web" },
			{ url: `${base}/docs.git`, branch: "", base_branch: "", path: "docs" },
		]);
		expect(shownRepositories({ repositories })?.[1]).to.deep.equal({
			url: `${base}/web.git`,
			branch: "next",
			path: "clients/web",
		});
	});

	it("does not show a workspace without a repository of somebody", () => {
		expect(shownRepositories({ repositories: [{ url: "", branch: "main", base_branch: "", path: "" }] })).to.deep.equal(
			[],
		);
	});

	const refused: [what: string, repos: Partial<Template["repos"][number]>[], words: RegExp][] = [
		["a folder outside", [{}, { url: `${base}/a`, path: "../a" }], /^"..\/a" cannot be the folder/],
		["an absolute folder", [{ path: "/tmp" }], /"\/tmp" cannot be the folder/],
		["a folder of git", [{}, { url: `${base}/a`, path: ".git/a" }], /".git\/a" cannot be/],
		[
			"two in one folder",
			[{ path: "a" }, { url: `${base}/a.git` }],
			/^Two repositories of the template have the same folder "a"$/,
		],
		["two that are the workspace", [{}, { url: `${base}/b`, path: "." }], /same folder "."$/],
		["a repository that is none", [{}, { url: "ext::x" }], /names a transport of its own/],
		["a branch that is an option", [{}, { url: `${base}/a`, branch: "-x" }], /"-x" cannot be the name of a branch/],
		["too many", Array.from({ length: maxRepositories + 1 }, (_, n) => ({ url: `${base}/r${n}` })), /more than 20/],
	];
	for (const [what, repos, words] of refused) {
		it(`refuses ${what}`, () => {
			expect(() => laidOut(...repos)).to.throw(UnprocessableError, words);
		});
	}
});
