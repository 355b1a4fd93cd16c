/** One REST route of one action, with everything that can be computed before the first request. */
import { bound } from "#shared/base/bounds.ts";
import { type AnyAction, type Contract, type Method, type Route, routesOf } from "#shared/contracts/contract.ts";
import type { Schema } from "#shared/base/schema/schema.ts";
import { compileIgnored, type FindIgnored } from "./ignored-parts.ts";
import { compileParams, type ParameterPlace, placeOf, type ReadParams } from "./request-params.ts";

const defaultTimeoutMs = 8_000;

export class ActionRoute {
	readonly kind = "action";
	readonly action: AnyAction;
	readonly method: Method;
	/** The path as the contract writes it: relative to a product's prefix, absolute with a double slash. */
	readonly path: string;
	/** The HTTP status of success. */
	readonly status: number;
	readonly maxBody: number;
	readonly timeoutMs: number;
	readonly readParams: ReadParams;
	readonly ignoredIn: FindIgnored;

	constructor(action: AnyAction, route: Route) {
		const [method, path] = splitRoute(route);
		this.action = action;
		this.method = method;
		this.path = path;
		this.status = action.status ?? (action.returns ? 200 : 204);
		this.maxBody = action.max_body ?? bound.bodyOfRequest;
		this.timeoutMs = action.timeout ?? defaultTimeoutMs;
		this.readParams = compileParams(action.params, method, path, action.in_query);
		this.ignoredIn = compileIgnored(Object.keys(this.paramsIn("query")), this.#membersOfBody());
	}

	paramsIn(place: ParameterPlace): Schema {
		return Object.fromEntries(Object.entries(this.action.params).filter(([name]) => this.placeOf(name) === place));
	}

	/** The members of a body that arrives as it was sent are those of its sender. */
	#membersOfBody(): Schema | undefined {
		return this.action.raw_body ? undefined : this.paramsIn("body");
	}

	placeOf(parameter: string): ParameterPlace {
		return placeOf(this.method, this.path, parameter, this.action.in_query);
	}
}

/**
 * Returns all routes of these contracts, in the order in which each action names them. Actions for jobs of the platform
 * have none.
 */
export function actionRoutes(contracts: readonly Contract[]): ActionRoute[] {
	return contracts
		.flatMap(({ actions }) => Object.values(actions))
		.filter(({ access }) => access !== "system")
		.flatMap((action) => routesOf(action).map((route) => new ActionRoute(action, route)));
}

function splitRoute(route: Route): [Method, string] {
	const [method, path = ""] = route.split(" ") as [Method, string?];
	return [method, path];
}
