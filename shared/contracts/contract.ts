/**
 * Contracts: the actions and events that a service offers on the bus, as plain values.
 *
 * A contract is the only thing one service may know of another. It determines the names of actions, the validation of
 * parameters, the types of callers and handlers, the REST routes and the OpenAPI operations.
 * @example
 * ```ts
 * export const clocks = defineContract("clocks", {
 * 	read: {
 * 		rest: "GET /clocks/:id",
 * 		summary: "Read a clock",
 * 		params: { id: { type: "uuid" } },
 * 		returns: { type: "object", props: { at: { type: "string", format: "date-time" } } },
 * 		errors: [404],
 * 	},
 * });
 * ```
 */
import type { Input, Output, Rule, Schema, Value } from "#shared/base/schema/schema.ts";

/**
 * The callers that may use an action: everybody, users (by login or token), users by login alone, administrators, the
 * session's own pod and users, the session's own pod alone, or jobs of the platform (never over HTTP). Roles bound users
 * further (shared/contracts/access/admission.ts).
 */
export type Access = "public" | "user" | "login" | "admin" | "session" | "pod" | "system";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * A method and a path below the product prefix, e.g. `GET /sessions/:session_id`; a path that starts with `//` is
 * absolute.
 */
export type Route = `${Method} /${string}`;

/** A member of a result that can be sent as it is. */
export interface TextForm {
	readonly member: string;
	/** The media types that ask for it; the answer has the first one that the request names. */
	readonly types: readonly string[];
	/** A line before the text of a result whose member `truncated` is true; its readers ignore the line. */
	readonly truncated_note: string;
	/** The member with the names of what is missing, each of which is a further line after the note. */
	readonly omitted?: string;
}

/** The declaration of one action: its routes, access, schemas and bounds. */
export interface ActionSpec {
	/** REST routes; absent for bus-only actions. The first is the canonical one. */
	readonly rest?: Route | readonly Route[];
	/** The default is `user`. */
	readonly access?: Access;
	/**
	 * Whether users need the right to change something. Default: `read` when all routes are GET, otherwise `write`, also
	 * without a route.
	 */
	readonly effect?: "read" | "write";
	/** The title of the operation on the API page. */
	readonly summary: string;
	/** Further sentences about the operation, before those that follow from this declaration (operation-words.ts). */
	readonly description?: string;
	/**
	 * A minimal body that succeeds on a new platform, where it needs no id of something else. Absent: a body without
	 * members succeeds.
	 */
	readonly example?: Readonly<Record<string, unknown>>;
	readonly params: Schema;
	/** Rule of the result; absent when the action returns nothing (HTTP 204). A nullable result is 204 when it is null. */
	readonly returns?: Rule;
	/** HTTP status of success; default 200, or 204 without a result. */
	readonly status?: number;
	/** Documented failures beside 401, 403 and 422. */
	readonly errors?: readonly (400 | 404 | 409 | 502 | 503)[];
	/**
	 * Media type of the result; default `application/json`. An event stream is written by a raw handler; the result of
	 * `text/html` is a page `{html, policy}`, whose policy says what a browser may load for it.
	 */
	readonly produces?: "text/event-stream" | "text/html";
	/** The result has a member that clients get alone, as text, when their `Accept` names one of the media types. */
	readonly text_form?: TextForm;
	/**
	 * The gateway tells which browser sent the request, in the member `browser` of the call's metadata: `marks` gives a
	 * browser a mark that has none, `reads` does not.
	 */
	readonly browser?: "marks" | "reads";
	/**
	 * The result is one page `{items, next?, etag?, unchanged?}`: clients get the array, where there is more a `Link`
	 * header, and an entity tag; 304 when they have it already.
	 */
	readonly paged?: true;
	/**
	 * The result has this member, which is what clients get, and sentences about what it lacks in the member `warnings`, which they
	 * get in the header `Atelier-Warnings`.
	 */
	readonly warned?: string;
	/** The gateway passes the caller's own token on, in the member `subject_token` of the call's metadata. */
	readonly passes_token?: true;
	/** The member of an object in which clients get the items of a page; absent: they get the array itself. */
	readonly wrapped?: string;
	/**
	 * The body arrives as it was sent, as the parameter `body`, and the headers that begin with `x-` or `webhook-`, with
	 * `idempotency-key`, as the record `headers`: the action checks a signature over the bytes.
	 */
	readonly raw_body?: true;
	/** The parameters that other requests than GET have in the query too; default: `cursor`. */
	readonly in_query?: readonly string[];
	/** Largest request body in bytes; default 64 KiB. */
	readonly max_body?: number;
	/**
	 * Whether the bus may repeat the action after a failure that leaves its outcome unknown. Default: true for GET,
	 * otherwise false.
	 */
	readonly idempotent?: boolean;
	/** The writes of the action are taken on a full disk, because it makes room or ends work. Default: true for DELETE. */
	readonly makes_room?: true;
	/** Milliseconds until the caller gets 504; default 8,000. */
	readonly timeout?: number;
}

declare const types: unique symbol;

/**
 * An action by name, with the types computed from its schemas.
 * `I`: what a caller sends; `P`: what the handler receives (defaults filled in); `R`: the result.
 */
export interface Action<I, P, R> extends ActionSpec {
	readonly name: string;
	readonly [types]?: { input: I; params: P; result: R };
}

type ActionOf<A extends ActionSpec> = Action<
	Input<A["params"]>,
	Output<A["params"]>,
	A extends { readonly returns: infer R } ? Value<R> : void
>;

/** Any action; types are covariant, so every {@link Action} is one. */
export type AnyAction = Action<unknown, unknown, unknown>;

/** The parameters as the handler of an action receives them; `Without` names members that it does not get. */
export type ParamsOf<A, Without extends string = never> =
	A extends Action<unknown, infer P, unknown> ? Omit<P, Without> : never;

/** All actions of one service; `name` is the service's name on the bus. */
export interface Contract<A = Readonly<Record<string, AnyAction>>> {
	readonly name: string;
	readonly actions: A;
}

/** Returns the contract; each action is named `<service>.<key>`. */
export function defineContract<const A extends Record<string, ActionSpec>>(
	name: string,
	actions: A,
): Contract<{ readonly [K in keyof A]: ActionOf<A[K]> }> {
	const named = Object.entries(actions).map(([key, spec]) => [key, { ...spec, name: `${name}.${key}` }]);
	return { name, actions: Object.fromEntries(named) };
}

/** The REST routes of an action, the canonical one first. */
export function routesOf({ rest }: Pick<ActionSpec, "rest">): readonly Route[] {
	if (rest === undefined) return [];
	return typeof rest === "string" ? [rest] : rest;
}

export function isIdempotent(action: ActionSpec): boolean {
	return action.idempotent ?? routesOf(action).some((route) => route.startsWith("GET "));
}

/** Whether the writes of the action are taken on a disk that is nearly full. */
export function makesRoom(action: ActionSpec): boolean {
	return action.makes_room ?? routesOf(action).some((route) => route.startsWith("DELETE "));
}

/** A hint on the bus to every process that subscribes to it. It may be lost, so every receiver also polls. */
export interface Event<P> {
	readonly name: string;
	readonly payload: Schema;
	readonly [types]?: { payload: P };
}

/** Returns an event; its name is `<noun>.<past participle or adjective>`. */
export function defineEvent<const S extends Schema>(name: `${string}.${string}`, payload: S): Event<Output<S>> {
	return { name, payload };
}
