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
				const values = Object.values(find(method, url)?.path ?? {});
				for (const value of values) expect(value).to.match(/^[^/\\\p{Cc}]*$/u);
			}),
			{ numRuns: 2_000 },
		);
	});

	it("finds nothing for a name with an encoded slash, or a backslash in any spelling", () => {
		expect(find("GET", `${prefix}/sessions/a`)?.path).to.deep.equal({ session_id: "a" });
		for (const name of ["a%2fb", "a%2Fb", "a\\b", "\\", "a%5cb", "a%5Cb"])
			expect(find("GET", `${prefix}/sessions/${name}`), name).to.equal(undefined);
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
