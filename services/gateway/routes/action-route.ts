/** One REST route of one action, with everything about it that can be worked out before the first request. */
import { type AnyAction, type Contract, type Method, type Route, routesOf } from "#shared/bus/contract.ts";
import { defaultMaxBody } from "../http/json-body.ts";
import { compileParams, type Place, placeOf, type ReadParams } from "./request-params.ts";

const defaultTimeoutMs = 8_000;

export class ActionRoute {
	readonly kind = "action";
	readonly action: AnyAction;
	readonly method: Method;
	/** As in the contract: relative to a product's prefix, absolute behind a double slash. */
	readonly path: string;
	/** Status of success. */
	readonly status: number;
	readonly maxBody: number;
	readonly timeoutMs: number;
	readonly readParams: ReadParams;

	constructor(action: AnyAction, route: Route) {
		const [method, path] = splitRoute(route);
		this.action = action;
		this.method = method;
		this.path = path;
		this.status = action.status ?? (action.returns ? 200 : 204);
		this.maxBody = action.max_body ?? defaultMaxBody;
		this.timeoutMs = action.timeout ?? defaultTimeoutMs;
		this.readParams = compileParams(action.params, method, path);
	}

	placeOf(parameter: string): Place {
		return placeOf(this.method, this.path, parameter);
	}
}

/** All routes of these contracts, those of an action in the order it names them. Jobs of the platform have none. */
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
