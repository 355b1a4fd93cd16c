/** A client that sends what the contract lists is told nothing about ignored parts of its request. */
import { expect } from "chai";
import { actionRoutes } from "#services/gateway/routes/action-route.ts";
import { RouteTable } from "#services/gateway/routes/route-table.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { notBuiltYet } from "../../support/conformance/not-built-yet.ts";
import type { JsonSchema } from "../../support/conformance/json-schema.ts";
import { type Operation, WireContract } from "../../support/conformance/wire-contract.ts";

/** Deeper values are free in the contract. */
const maxDepth = 6;

describe("ignored parts of requests", () => {
	const contract = new WireContract();
	const unbuilt = new Set(Object.values(notBuiltYet).flat());
	const routes = new RouteTable(actionRoutes(publicContracts), ["/api/v1/svc"]);
	const operations = contract.operations.filter(({ id, path }) => !unbuilt.has(id) && path.startsWith("/api/"));

	it("are none of the members and parameters that the contract lists", () => {
		const told = operations.flatMap((operation) =>
			ignoredOf(operation).map((sentence) => `${operation.id}: ${sentence}`),
		);
		expect(told).to.deep.equal([]);
	});

	it("are found in each operation that has a body or a query of its own", () => {
		const silent = operations.filter((operation) => ignoredOf(operation, { not_of_the_contract: 1 }).length === 0);
		expect(silent.map(({ id }) => id)).to.deep.equal([]);
	});

	function ignoredOf({ method, path, parameters, body }: Operation, additional = {}): readonly string[] {
		const { target } = routes.find(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "x"));
		if (target.kind !== "action" || target.action.raw_body) return [];
		const named = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => [name, "1"]);
		const query = new URLSearchParams({ ...Object.fromEntries(named), ...additional }).toString();
		const sent = body ? full(body.schema, 0) : {};
		return target.ignoredIn({ query, body: { ...(sent as object), ...additional } });
	}

	/** Returns a value that has every member which the schema names. */
	function full(written: JsonSchema, depth: number): unknown {
		const schema = contract.resolve(written);
		const alternative = schema.oneOf?.find(({ type }) => type !== "null");
		if (alternative) return full(alternative, depth);
		if (depth > maxDepth) return null;
		if (schema.items) return [full(schema.items, depth + 1)];
		if (!schema.properties) return null;
		return Object.fromEntries(
			Object.entries(schema.properties).map(([name, member]) => [name, full(member, depth + 1)]),
		);
	}
});
