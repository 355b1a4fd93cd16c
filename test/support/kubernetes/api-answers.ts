/** How an API server answers a request that is no watch. */
import type { ClusterObjects } from "./cluster-objects.ts";
import { ClusterRefusal } from "./cluster-objects.ts";
import { checkObject, checkPlural } from "./checked-objects.ts";
import { afterSteps, merged } from "./json-patches.ts";
import type { StoredObject } from "./label-selection.ts";

/** A request. */
export interface ApiQuestion {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	/** The header `Content-Type`. */
	readonly form: string;
	/** The header `Accept`. */
	readonly accept?: string;
	readonly body: string;
}

/** An answer; a text is sent as it is. */
export interface ApiAnswer {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Where a request goes. */
interface Target {
	readonly collection: string;
	readonly plural: string;
	readonly name: string | undefined;
}

const resource = /^(\/api\/v1\/namespaces\/[a-z0-9-]+\/([a-z]+))(?:\/([a-z0-9.-]+))?$/;

/** Answers, and changes the cluster. */
export function answerQuestion(cluster: ClusterObjects, question: ApiQuestion): ApiAnswer {
	try {
		const [, collection, plural = "", name] = resource.exec(question.path) ?? [];
		if (collection === undefined)
			throw new ClusterRefusal(404, "NotFound", "the server could not find the requested resource");
		checkPlural(plural);
		return answered(cluster, question, { collection, plural, name });
	} catch (error) {
		if (error instanceof ClusterRefusal) return { status: error.code, body: error.body };
		throw error;
	}
}

/** The server gives what has a life of its own its first status. */
function begun(plural: string, object: StoredObject): StoredObject {
	const isAlive = plural === "pods" || plural === "persistentvolumeclaims";
	return isAlive ? { ...object, status: { phase: "Pending" } } : object;
}

type Answering = (
	cluster: ClusterObjects,
	question: ApiQuestion,
	target: Required<Target> & { name: string },
) => ApiAnswer;

const answers: Readonly<Record<string, Answering>> = {
	"GET all": (cluster, { query, accept = "" }, { collection }) => {
		const { kind, apiVersion, metadata, items } = page(cluster, collection, query);
		if (accept.includes("as=Table")) return { status: 200, body: { kind: "Table", metadata, ...tableOf(items) } };
		return { status: 200, body: { kind, apiVersion, metadata, items } };
	},
	"POST all": (cluster, { body }, { collection, plural }) => ({
		status: 201,
		body: cluster.create(collection, begun(plural, checkObject(plural, parsed(body)))),
	}),
	"GET one": (cluster, _question, { collection, name }) => ({ status: 200, body: cluster.get(collection, name) }),
	"PUT one": (cluster, { body }, { collection, plural, name }) => ({
		status: 200,
		body: cluster.replace(collection, name, checkObject(plural, parsed(body))),
	}),
	"PATCH one": (cluster, question, { collection, plural, name }) => {
		const former = cluster.get(collection, name);
		const next = checkObject(plural, patched(former, question));
		if (next.metadata.uid !== former.metadata.uid)
			throw new ClusterRefusal(422, "Invalid", "metadata.uid: Invalid value: field is immutable");
		return { status: 200, body: cluster.replace(collection, name, next) };
	},
	"DELETE one": (cluster, { body }, { collection, name }) => ({
		status: 200,
		body: deleted(cluster, collection, name, body),
	}),
};

function answered(cluster: ClusterObjects, question: ApiQuestion, target: Target): ApiAnswer {
	const { name = "" } = target;
	const answer = answers[`${question.method} ${name === "" ? "all" : "one"}`];
	if (answer) return answer(cluster, question, { ...target, name });
	throw new ClusterRefusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

function deleted(cluster: ClusterObjects, collection: string, name: string, body: string): object {
	const { preconditions } = (body === "" ? {} : parsed(body)) as { preconditions?: object };
	return cluster.delete(collection, name, preconditions) ?? { kind: "Status", apiVersion: "v1", status: "Success" };
}

function patched(object: StoredObject, { form, body }: ApiQuestion): unknown {
	if (form === "application/merge-patch+json") return merged(object, parsed(body));
	if (form === "application/json-patch+json") return afterSteps(object, stepsIn(body));
	throw new ClusterRefusal(415, "UnsupportedMediaType", `the media type ${form} is not supported`);
}

/** Returns the columns and the rows that a server shows of objects to people. */
function tableOf(items: readonly StoredObject[]): object {
	const columnDefinitions = [{ name: "Name" }, { name: "Age" }];
	return { columnDefinitions, rows: items.map(({ metadata }) => ({ cells: [metadata.name, "1d"], object: null })) };
}

/** The real server compares texts as they are written, and writes these characters as escapes. */
function stepsIn(body: string): unknown {
	if (/[<>&\u2028\u2029]/.test(body)) throw new ClusterRefusal(422, "Invalid", "testing value failed");
	return parsed(body);
}

function page(cluster: ClusterObjects, collection: string, query: URLSearchParams) {
	const { at, begin } = begunAt(cluster, query);
	const limit = Number(query.get("limit") ?? 0) || Number.POSITIVE_INFINITY;
	const all = cluster.list(collection, query.get("labelSelector") ?? "", at);
	const items = all.slice(begin, begin + limit);
	const end = begin + items.length;
	const metadata = { resourceVersion: String(at), ...(end < all.length && { continue: `${at}/${end}` }) };
	return { kind: "PodList", apiVersion: "v1", metadata, items };
}

/** Returns the state of a page, and its place in the list. */
function begunAt(cluster: ClusterObjects, query: URLSearchParams): { readonly at: number; readonly begin: number } {
	const next = query.get("continue");
	if (next !== null) {
		const [at = 0, begin = 0] = next.split("/").map(Number);
		return { at, begin };
	}
	const asked = Number(query.get("resourceVersion") ?? 0);
	const isLater = query.get("resourceVersionMatch") !== "Exact" && asked <= cluster.version;
	return { at: isLater ? cluster.version : asked, begin: 0 };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new ClusterRefusal(400, "BadRequest", "the body is no JSON");
	}
}
