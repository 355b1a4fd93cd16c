/**
 * The rows of the proof of access: for each route, who may use it and with what harmless request. Rows are written by
 * hand, because a row that followed from the contract would repeat its mistakes.
 */
import type { ObjectKind } from "#shared/contracts/access/access-table.ts";
import type { MakerName } from "./makers.ts";

/** One route, as the proof expects it. */
export interface Row {
	/** The callers that the route is for; see `Access` in the contracts. `signed`: nobody, but for messages with a signature. */
	readonly access: "signed" | "public" | "user" | "login" | "admin" | "session" | "pod";
	/** Absent: `read` for GET, otherwise `write`. */
	readonly effect?: "read" | "write";
	/** The object of the route, whose id is the first parameter of the path; absent: it has none. */
	readonly object?: MakerName;
	/** An object that the body names without a relation to it: the answer is the same, whoever may reach it. */
	readonly names?: MakerName;
	/**
	 * The action on the object; default `see` by GET, and otherwise `command-agent` for a session, which its owner alone may
	 * do, and `change` for others.
	 */
	readonly action?: string;
	/** The parameters of the path beside the object. */
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	/** The body; a function gets the id of the object. */
	readonly body?: Body;
	/** The body for a platform in use, which changes nothing; it may be invalid, because callers are refused before. */
	readonly harmless?: Body;
	/** Whether the object is gone afterwards, so that every admitted caller gets one of its own. */
	readonly consumes?: true;
	/** Whether it changes more than the object; such a route is left out on a platform in use if nothing is `harmless`. */
	readonly reaches?: "tenant" | "person";
	/** Whether the answer names objects of others by id and name, as a log of what was done does. */
	readonly namesObjects?: true;
	/** Whether the answer changes by itself. */
	readonly volatile?: true;
	/** The kind of object that a successful request leaves behind. */
	readonly leaves?: MakerName;
}

export type Body = object | ((id: string) => object);

type Rest = Omit<Row, "access" | "object">;

function rowFor(access: Row["access"]): (rest?: Rest) => Row {
	return (rest = {}) => ({ access, ...rest });
}

function objectRowFor(access: Row["access"]): (object: MakerName, rest?: Rest) => Row {
	return (object, rest = {}) => ({ access, object, ...rest });
}

/** The row of a route for everybody, without a credential. */
export const everybody = rowFor("public");
/** The row of a route for messages with a signature, whatever credential their sender has. */
export const signed = rowFor("signed");
/** The row of a route for people and their tokens; roles bound what they may do. */
export const people = rowFor("user");
/** The row of a route for people who logged in, and not for their tokens. */
export const loggedIn = rowFor("login");
/** The row of a route for administrators of the tenant. */
export const administrators = rowFor("admin");
/** The row of a route for people who may do this with the object. */
export const those = objectRowFor("user");
/** The row of a route for people who logged in and may do this with the object. */
export const own = objectRowFor("login");
/** The row of a route for administrators who may do this with the object. */
export const administrated = objectRowFor("admin");

/** Returns the row of a route for a session's own pod, and for people who may do this with the session. */
export function reporters(rest: Rest = {}): Row {
	return { access: "session", object: "session", action: "report", ...rest };
}

/** Returns the row of a route for a session's own pod. */
export function pods(rest: Rest = {}): Row {
	return { access: "pod", object: "session", action: "see", ...rest };
}

/** Returns what a route does with its object. */
export function actionOf({ action }: Row, kind: ObjectKind, method: string): string {
	if (action !== undefined) return action;
	if (method === "GET") return "see";
	return kind === "session" ? "command-agent" : "change";
}
