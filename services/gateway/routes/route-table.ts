/**
 * Finds the route of a request. Case and slashes must match exactly, so that no spelling of a path bypasses a rule
 * about it.
 */
import router from "find-my-way";
import { type AnyAction, isIdempotent } from "#shared/contracts/contract.ts";
import type { HttpError } from "../http/http-errors.ts";
import { urlParts } from "../http/url-parts.ts";
import type { ActionRoute } from "./action-route.ts";
import type { PageRoute } from "./pages.ts";
import { PathRefusals } from "./path-refusals.ts";

type RouteTarget = ActionRoute | PageRoute;

export interface Match {
	readonly target: RouteTarget;
	/** The decoded parameters of the path. */
	readonly path: Readonly<Record<string, string | undefined>>;
	/** The query without the question mark. */
	readonly query: string;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** HEAD is answered like GET; Node omits the body. Programs that look at links before people do send it. */
const routedAs = new Map(methods.map((method) => [method as string, method === "HEAD" ? "GET" : method]));

/** The longest decoded parameter of a path: a name of 255 characters, with a margin. */
const maxParamLength = 1_000;

/**
 * Encoded backslashes and control characters, which are no part of a name and would look like a path when
 * decoded; encoded letters, digits and `-._~`, which nobody has to encode, and the mark of a fragment: with them a path has
 * a second spelling, which a proxy that compares paths does not know.
 */
const disguised = /%(2[de]|5[cf]|[01][0-9a-f]|7[ef]|3[0-9]|[46][1-9a-f]|[57][0-9a])|[\\#]/i;

/**
 * The parameters that may have encoded slashes: the id of a person where a provider's ids are unique in a tenant only
 * (identity-providers/person-id.ts), and a group with its sub-group at a git host. Elsewhere a slash is no part of a name.
 */
const slashed = new Set(["user_id", "org"]);
/** A part of a path that leads elsewhere. A proxy that decodes a path before it compares it follows such parts. */
const leading = /(^|\/)\.{1,2}(\/|$)/;

/** The table is complete after its construction. */
export class RouteTable {
	readonly #router = router({ caseSensitive: true, maxParamLength, onBadUrl: () => {} });
	readonly #targets = new Map<unknown, RouteTarget>();
	/** The actions by method and path. */
	readonly #actions = new Map<string, AnyAction>();
	readonly #refusals: PathRefusals;

	/** @param prefixes The prefixes of relative paths, e.g. `/api/v1/svc`; answers name the first one. */
	constructor(targets: readonly RouteTarget[], prefixes: readonly string[]) {
		this.#refusals = new PathRefusals(prefixes[0] ?? "/");
		for (const target of targets) {
			const { path } = target;
			const paths = path.startsWith("//") ? [path.slice(1)] : prefixes.map((prefix) => prefix + path);
			for (const full of paths) this.#add(target, full);
		}
	}

	/**
	 * An action may have a route of its own below a product name that is also configured as an alias: the contract has
	 * `GET /api/v1/niuu/repos`, and `niuu` may be another name of the product.
	 */
	#add(target: RouteTarget, path: string): void {
		const name = `${target.method} ${path}`;
		if (target.kind === "action") {
			if (this.#actions.get(name) === target.action) return;
			this.#actions.set(name, target.action);
		}
		const handler = () => {};
		this.#targets.set(handler, target);
		this.#router.on(target.method, path, handler);
	}

	/**
	 * Finds the route.
	 * @param url The URL as sent.
	 * @throws {HttpError} 307 to the form without a slash at the end, 404, 405.
	 */
	find(method: string, url: string): Match {
		const { path, query } = urlParts(url);
		if (!path.startsWith("/") || path.includes("//") || disguised.test(path)) throw this.#refusals.unknown;
		if (path.endsWith("/") && path !== "/") throw this.#withoutSlash(path.slice(0, -1), query);
		const match = this.#match(method, path);
		if (!match) throw this.#refusal(method, path);
		return { ...match, query };
	}

	#match(method: string, path: string): Omit<Match, "query"> | undefined {
		const routed = routedAs.get(method);
		const found = routed && this.#router.find(routed, path);
		const target = found && this.#targets.get(found.handler);
		if (!target || (method === "HEAD" && !hasHead(target)) || !Object.entries(found.params).every(isName))
			return undefined;
		return { target, path: found.params };
	}

	#withoutSlash(path: string, query: string): HttpError {
		if (this.#allowed(path).length === 0) return this.#refusals.unknown;
		return this.#refusals.slash(query === "" ? path : `${path}?${query}`);
	}

	#refusal(method: string, path: string): HttpError {
		const allowed = this.#allowed(path);
		return allowed.length === 0 ? this.#refusals.unknown : this.#refusals.method(method, allowed);
	}

	#allowed(path: string): string[] {
		return methods.filter((method) => this.#match(method, path));
	}
}

/** Whether a decoded parameter is a name, and not a path. */
function isName([parameter, value = ""]: [string, string | undefined]): boolean {
	return slashed.has(parameter) ? !leading.test(value) : !value.includes("/");
}

/** A page that a GET uses up, such as the end of a login, cannot be looked at by HEAD. */
function hasHead(target: RouteTarget): boolean {
	return target.kind === "page" || isIdempotent(target.action);
}
