import { expect } from "chai";
import { ActionRoute, actionRoutes } from "#services/gateway/routes/action-route.ts";
import { defineContract } from "#shared/contracts/contract.ts";

const thing = { type: "object", props: { id: { type: "string" } } } as const;
const id = { id: { type: "string" } } as const;

const things = defineContract("things", {
	get: { rest: ["GET /things/:id", "GET /items/:id"], summary: "One", params: id, returns: thing },
	list: { rest: "GET /things", summary: "All", params: {}, returns: thing, paged: true },
	create: { rest: "POST /things", summary: "New", params: {}, returns: thing, status: 201, max_body: 10, timeout: 20 },
	remove: { rest: "DELETE /things/:id", summary: "Gone", params: id },
	sweep: { rest: "POST /sweep", access: "system", summary: "Never over HTTP", params: {} },
	hidden: { summary: "On the bus only", params: {} },
});
const { get, create, remove } = things.actions;

describe("actionRoutes()", () => {
	it("are those of every action in the order it names them, and none of jobs of the platform", () => {
		const routes = actionRoutes([things]).map(({ method, path, action }) => `${method} ${path} ${action.name}`);
		expect(routes).to.deep.equal([
			"GET /things/:id things.get",
			"GET /items/:id things.get",
			"GET /things things.list",
			"POST /things things.create",
			"DELETE /things/:id things.remove",
		]);
	});

	it("have the status and the bounds of the contract, or the usual ones", () => {
		const read = (action: typeof create | typeof get | typeof remove, route: `POST /${string}`) => {
			const { status, maxBody, timeoutMs } = new ActionRoute(action, route);
			return [status, maxBody, timeoutMs];
		};
		expect(read(create, "POST /x")).to.deep.equal([201, 10, 20]);
		expect(read(get, "POST /x")).to.deep.equal([200, 65_536, 8_000]);
		expect(read(remove, "POST /x")).to.deep.equal([204, 65_536, 8_000]);
	});
});
