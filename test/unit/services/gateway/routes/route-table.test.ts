import { expect } from "chai";
import fc from "fast-check";
import { actionRoutes } from "#services/gateway/routes/action-route.ts";
import { HttpError } from "#services/gateway/http/http-errors.ts";
import { type Match, RouteTable } from "#services/gateway/routes/route-table.ts";
import { defineContract } from "#shared/contracts/contract.ts";
import { publicContracts } from "#shared/contracts/all.ts";

const prefix = "/api/v1/svc";
const table = new RouteTable(actionRoutes(publicContracts), [prefix]);

/** The segments by which paths differ. */
const pieces = ["/", "//", "..", "\\", "%2f", "%5C", "%00", "%", "%zz", "?", "#", ";", "sessions", "a", "%ff"];
const piece = fc.constantFrom(...pieces);
const path = fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }).map((all) => `${prefix}/${all.join("")}`);

/** @throws any error that is no answer to a request. */
function find(method: string, url: string): Match | undefined {
	try {
		return table.find(method, url);
	} catch (error) {
		if (error instanceof HttpError) return undefined;
		throw error;
	}
}

describe("RouteTable", () => {
	it("finds a route or refuses for any path, and returns no parameter that looks like one", () => {
		fc.assert(
			fc.property(fc.constantFrom("GET", "POST", "DELETE", "HEAD", "constructor"), path, (method, url) => {
				for (const [name, value] of Object.entries(find(method, url)?.path ?? {})) {
					expect(value).to.match(/^[^\\\p{Cc}]*$/u);
					if (name !== "user_id" && name !== "org") expect(value).to.not.include("/");
					else expect(value?.split("/")).to.not.include.oneOf([".", ".."]);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	it("finds nothing for a name with an encoded slash, or a backslash in any spelling", () => {
		expect(find("GET", `${prefix}/sessions/a`)?.path).to.deep.equal({ session_id: "a" });
		for (const name of ["a%2fb", "a%2Fb", "a\\b", "\\", "a%5cb", "a%5Cb"])
			expect(find("GET", `${prefix}/sessions/${name}`), name).to.equal(undefined);
	});

	it("takes encoded slashes in ids of people and in groups of git hosts, but no parts that lead elsewhere", () => {
		const at = { person: "/budgets/users/", again: "/tenants/t/members/", group: "/repos/mine/orgs/" };
		for (const id of ["acme/bob", "a%2Fb/bob", "/bob", "acme/", "acme/.bob", "a/b/c", "acme/..bob", "acme/100%"])
			for (const [path, method] of [
				[at.person, "GET"],
				[at.again, "DELETE"],
				[at.group, "GET"],
			] as const)
				expect(Object.values(find(method, prefix + path + encodeURIComponent(id))?.path ?? {}), id).to.include(id);
		for (const id of [
			"..%2fbob",
			"acme%2F..",
			"acme%2F.%2Fbob",
			"acme%2f..%2f..%2fsessions",
			".%2f",
			"..",
			"acme%2F%2E%2E",
		])
			expect(find("GET", `${prefix}${at.person}${id}`), id).to.equal(undefined);
		expect(find("DELETE", `${prefix}/tenants/a%2Fb/members/bob`), "the id of a tenant").to.equal(undefined);
		expect(find("GET", `${prefix}/budgets%2Fusers/bob`), "a slash of the path").to.equal(undefined);
		expect(find("GET", `${prefix}${at.person}acme/bob`), "a slash that is not encoded").to.equal(undefined);
	});

	it("returns a name of a path as it was before it was encoded", () => {
		const name = fc
			.string({ unit: "grapheme", minLength: 1, maxLength: 60 })
			.filter((text) => !/[/\\\p{Cc}]/u.test(text));
		fc.assert(
			fc.property(name, (text) => {
				fc.pre(text.isWellFormed());
				expect(find("GET", `${prefix}/templates/${encodeURIComponent(text)}`)?.path).to.deep.equal({ name: text });
			}),
		);
	});

	it("has an action once where its own path is also that of an alias", () => {
		const shown = { summary: "Repositories", params: {} } as const;
		const repos = defineContract("repos", { list: { ...shown, rest: ["GET /repos", "GET //api/v1/niuu/repos"] } });
		const aliased = new RouteTable(actionRoutes([repos]), [prefix, "/api/v1/niuu"]);
		for (const url of [`${prefix}/repos`, "/api/v1/niuu/repos"])
			expect(aliased.find("GET", url).target).to.include({ action: repos.actions.list });
		const alone = new RouteTable(actionRoutes([repos]), [prefix]);
		expect(alone.find("GET", "/api/v1/niuu/repos").target).to.include({ action: repos.actions.list });
		const other = defineContract("other", { list: { ...shown, rest: "GET /repos" } });
		expect(() => new RouteTable(actionRoutes([repos, other]), [prefix])).to.throw(/already declared/);
	});
});
