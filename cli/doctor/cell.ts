/** One cell of the proof of access: the request of one caller to one route, and what its answer says. */
import type { Outcome } from "./caller.ts";
import type { Probe, ProbeAnswer } from "./prober.ts";
import { chatRoute } from "./rows.ts";
import type { Body, Row } from "./row.ts";

/** An id that no object has. */
export const unknownId = "00000000-0000-4000-8000-000000000000";

/** The parts of a request that the row does not say. */
export interface RequestContext {
	readonly route: string;
	readonly row: Row;
	/** The prefix of the API, e.g. `/api/v1/svc`. */
	readonly prefix: string;
	/** The id of the person who is named where a path names one. */
	readonly person: string;
	/** Whether the platform is in use, so that the request has to be harmless. */
	readonly isInUse: boolean;
}

export function probeOf({ route, row, prefix, person, isInUse }: RequestContext, id: string): Probe {
	const [method = "", path = ""] = route.split(" ");
	const full = path.startsWith("//") ? path.slice(1) : prefix + path;
	const given: Readonly<Record<string, string>> = { user_id: person, ...row.path };
	let isFirst = row.object !== undefined;
	const filled = full.replaceAll(/:(\w+)/g, (_all, name: string) => {
		const value = isFirst ? id : (given[name] ?? unknownId);
		isFirst = false;
		return encodeURIComponent(value);
	});
	const query = row.query ? `?${new URLSearchParams(row.query).toString()}` : "";
	const body = isInUse ? (row.harmless ?? row.body) : row.body;
	return { method, path: filled + query, body: bodyOf(body, id), isHandshake: route === chatRoute };
}

function bodyOf(body: Body | undefined, id: string): object | undefined {
	return typeof body === "function" ? body(id) : body;
}

/** Returns the outcome of an answer. @param reference The answer for an unknown id, where the row has an object. */
export function outcomeOf(
	answer: ProbeAnswer,
	id: string,
	reference: ProbeAnswer | undefined,
	unknown = unknownId,
): Outcome {
	const { status, text } = answer;
	if (status === 401) return "unauthenticated";
	if (status === 403) return /LAUNCH_OVER|STALE/.test(text) ? "stale" : "forbidden";
	if (reference && isSame(answer, [id, unknown], reference)) return "unknown";
	return hasFailed(answer) ? "failed" : "admitted";
}

/** Whether the platform has failed, or has no such route. */
function hasFailed({ status, headers }: ProbeAnswer): boolean {
	return status >= 500 || status === 405 || (status === 404 && headers.includes("UNKNOWN_PATH"));
}

/** Whether nothing in an answer tells the object from one that does not exist. */
function isSame(
	{ status, text, headers }: ProbeAnswer,
	[id, unknown]: readonly [string, string],
	reference: ProbeAnswer,
): boolean {
	const hidden = text.replaceAll(id, unknown);
	return reference.status === 404 && status === 404 && hidden === reference.text && headers === reference.headers;
}
