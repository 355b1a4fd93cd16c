import { expect } from "chai";
import { routesOf } from "#shared/contracts/contract.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { chatRoute, rows } from "../../../../cli/doctor/rows.ts";

describe("the rows of the proof of access", () => {
	it("are one for each route of the contracts, and no other", () => {
		const routes = publicContracts
			.flatMap(({ actions }) => Object.values(actions))
			.filter(({ access }) => access !== "system")
			.flatMap((action) => routesOf(action));
		const missing = routes.filter((route) => !Object.hasOwn(rows, route));
		expect(missing, "a new route needs a line in cli/doctor/rows.ts (CONTRIBUTING.md, Tests)").to.deep.equal([]);
		expect(Object.keys(rows).filter((route) => !(routes as string[]).includes(route))).to.deep.equal([chatRoute]);
	});

	it("change nothing that may be somebody's: no tenant and no person has the id in a row", () => {
		const changing = Object.entries(rows).filter(([route, { reaches }]) => !route.startsWith("GET ") && !reaches);
		const named = changing.flatMap(([, { path = {}, body = {} }]) =>
			[...Object.entries(path), ...Object.entries(body)].filter(([name]) => name === "tenant_id" || name === "user_id"),
		);
		expect(named).to.have.length.above(2);
		expect(named.filter(([, id]) => !String(id).startsWith("doctor-"))).to.deep.equal([]);
	});

	it("leave the harmless form to routes that reach further than one object", () => {
		const harmless = Object.entries(rows).filter(([, row]) => row.harmless !== undefined);
		expect(harmless.filter(([, row]) => row.reaches === undefined)).to.deep.equal([]);
	});
});
