/**
 * Calls of the Kubernetes API. They are the project's own, because the official library makes a TLS connection for each call, gives
 * up a watch at the first error, pages no list and never waits for `Retry-After` (docs/decisions/0161-own-calls-of-the-cluster.md).
 */
import type { IncomingMessage } from "node:http";
import { after, deadline, sleep } from "#shared/base/clock.ts";
import { readBounded } from "#shared/base/bounded-read.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { type ApiError, noAnswer, refusalError } from "./api-error.ts";
import { ApiConnection, type ApiRequest } from "./api-connection.ts";
import { type CallKind, CallPace } from "./call-pace.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { jsonPatch, type PatchStep } from "./json-patch.ts";
import { asObject, type KubeList, type KubeObject } from "./kube-object.ts";
import { type KeptPages, type Listed, type ListQuery, listPages } from "./list-pages.ts";
import { Repetitions } from "./repetitions.ts";
import { listOfNames, nameTable } from "./name-table.ts";
import { pathOf, type Resource } from "./resource.ts";

/** The longest time of a call with its waits, in milliseconds. */
const callMs: Readonly<Record<CallKind, number>> = { read: 5_000, write: 10_000 };
/** The time until a watch begins to be answered, in milliseconds. */
const watchMs = 10_000;
/**
 * The most bytes of one answer. etcd keeps 1.5 MB of an object, and JSON has six characters for some of one byte; 500 pods have
 * about 6 MB.
 */
const usualMaxBytes = 16_777_216;

export interface CallOptions {
	readonly signal?: AbortSignal | undefined;
	/** The longest time of the call in milliseconds; default: 5 s for a reading, 10 s for a change. */
	readonly withinMs?: number;
	/** A part of the object, such as `status`. */
	readonly part?: string;
	/** Texts of the request that no error may show, such as a token that is reviewed. */
	readonly secrets?: readonly string[];
}

/** The conditions of a deletion, so that another object of the same name stays. */
export interface DeleteOptions extends CallOptions {
	readonly uid?: string | undefined;
	readonly resourceVersion?: string;
	/** Default: the object's own. */
	readonly graceSeconds?: number;
}

/** The state after which a watch tells changes, and the selection of its objects. */
export interface WatchQuery {
	readonly resourceVersion: string;
	/** The server ends it after this time. */
	readonly timeoutSeconds: number;
	readonly labelSelector?: string | undefined;
}

export interface ApiClientDependencies {
	readonly access: ClusterAccess;
	/** Absent: nobody counts. */
	readonly metrics?: Metrics;
	/** Default: 100 calls a second. */
	readonly pace?: CallPace;
	/** The most bytes of one answer; default 16 MiB. */
	readonly maxBytes?: number;
}

/** The first objects of a list, as far as they fit. */
export interface FirstQuery {
	readonly fieldSelector: string;
	/** The most objects. */
	readonly count: number;
	/** The most bytes of the answer. */
	readonly maxBytes: number;
	/** The longest time of the call, in milliseconds. */
	readonly withinMs: number;
}

interface Call extends Omit<CallOptions, "part"> {
	readonly request: ApiRequest;
	readonly kind: CallKind;
	/** Default: those of the client. */
	readonly maxBytes?: number;
}

interface TimedCall extends Call {
	/** Aborts when the time of the call is over, or nobody wants its answer. */
	readonly ending: AbortSignal;
	readonly ms: number;
}

/**
 * The connection to one cluster. All methods throw {@link ApiError}. A write that fails without a status, or with 500 or more, may
 * have happened.
 */
export class ApiClient {
	readonly #connection: ApiConnection;
	readonly #access: ClusterAccess;
	readonly #metrics: Metrics | undefined;
	readonly #pace: CallPace;
	readonly #maxBytes: number;
	readonly #closing = new AbortController();

	constructor({ access, metrics, pace = new CallPace(), maxBytes = usualMaxBytes }: ApiClientDependencies) {
		this.#connection = new ApiConnection(access.server);
		this.#access = access;
		this.#metrics = metrics;
		this.#pace = pace;
		this.#maxBytes = maxBytes;
	}

	/** Reads from a quorum, so it never answers with the past. */
	async get<T extends KubeObject>(resource: Resource, name: string, options: CallOptions = {}): Promise<T> {
		const request = { method: "GET", path: pathOf(resource, name, options.part) } as const;
		return this.#object(await this.#call({ ...options, request, kind: "read" }));
	}

	/**
	 * Returns what `keep` returns of each object, page by page, so that the whole is never in memory. A page has 5 s. A list that the
	 * server forgets meanwhile begins again. Pages get smaller where their objects are large.
	 */
	list<T extends KubeObject, Kept>(
		resource: Resource,
		keep: (object: T) => Kept,
		{ signal, ...query }: ListQuery & { readonly signal?: AbortSignal | undefined } = {},
	): Promise<Listed<Kept>> {
		const page: KeptPages<Kept>["page"] = (words, of) =>
			of === "names" ? this.#namePage(resource, words, signal) : this.#page(resource, words, { signal });
		// The server answers with objects of the collection's kind.
		return listPages({ page, keep: (object) => keep(object as T) }, query);
	}

	/** Returns the names of all objects, of which the server sends nothing else. */
	async listNames(
		resource: Resource,
		{ signal, ...query }: ListQuery & { readonly signal?: AbortSignal | undefined } = {},
	): Promise<readonly string[]> {
		const page: KeptPages<string>["page"] = (words) => this.#namePage(resource, words, signal);
		return (await listPages({ page, keep: ({ metadata }) => metadata.name }, query)).items;
	}

	/** Returns the first objects by their names, in one call. @throws {ApiError} `AnswerTooLarge` when they have more bytes. */
	async first<T extends KubeObject>(
		resource: Resource,
		{ fieldSelector, count, maxBytes, withinMs }: FirstQuery,
	): Promise<T[]> {
		const { items } = await this.#page(resource, { fieldSelector, limit: String(count) }, { maxBytes, withinMs });
		// The server answers with objects of the collection's kind.
		return (items ?? []).filter((object) => asObject(object)) as T[];
	}

	/** @throws {ApiError} 409 `AlreadyExists`. */
	async create<T extends KubeObject>(resource: Resource, object: object, options: CallOptions = {}): Promise<T> {
		return this.#write("POST", pathOf(resource), json(object), options);
	}

	/** Creates a part of an object, or a review, which has no name. */
	async createPart<T>(
		resource: Resource,
		name: string | undefined,
		object: object,
		options: CallOptions = {},
	): Promise<T> {
		const request = { method: "POST", path: pathOf(resource, name, options.part), body: json(object) } as const;
		// A review is answered with its own form.
		return (await this.#call({ ...options, request, kind: "write" })) as T;
	}

	/** @throws {ApiError} 409 `Conflict` when the object's `resourceVersion` is not the given one's. */
	async replace<T extends KubeObject>(resource: Resource, object: KubeObject, options: CallOptions = {}): Promise<T> {
		return this.#write("PUT", pathOf(resource, object.metadata.name, options.part), json(object), options);
	}

	/**
	 * Merges members into the object (RFC 7386); null removes one. With `metadata.uid` or `metadata.resourceVersion` it is conditional.
	 * @throws {ApiError} 422 for another uid, 409 for another version.
	 */
	async patch<T extends KubeObject>(
		resource: Resource,
		name: string,
		members: object,
		options: CallOptions = {},
	): Promise<T> {
		const path = pathOf(resource, name, options.part);
		return this.#write("PATCH", path, json(members), options, "application/merge-patch+json");
	}

	/** @throws {ApiError} 422 when a `test` fails. */
	async patchBySteps<T extends KubeObject>(
		resource: Resource,
		name: string,
		steps: readonly PatchStep[],
		options: CallOptions = {},
	): Promise<T> {
		const path = pathOf(resource, name, options.part);
		return this.#write("PATCH", path, jsonPatch(steps), options, "application/json-patch+json");
	}

	/** Resolves to what was deleted, or to a status without a name. @throws {ApiError} 404, or 409 for a wrong uid. */
	async delete(
		resource: Resource,
		name: string,
		{ uid, resourceVersion, graceSeconds, ...options }: DeleteOptions,
	): Promise<unknown> {
		const body = json({
			kind: "DeleteOptions",
			apiVersion: "v1",
			...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
			...((uid ?? resourceVersion) !== undefined && { preconditions: { uid, resourceVersion } }),
		});
		const request = { method: "DELETE", path: pathOf(resource, name), body } as const;
		return this.#call({ ...options, request, kind: "write" });
	}

	/** Resolves when the server begins to answer; the caller reads the lines, and the signal ends them. */
	async watch(
		resource: Resource,
		{ labelSelector, ...query }: WatchQuery,
		signal: AbortSignal,
	): Promise<IncomingMessage> {
		const words = {
			watch: "true",
			allowWatchBookmarks: "true",
			resourceVersion: query.resourceVersion,
			timeoutSeconds: String(query.timeoutSeconds),
			...(labelSelector !== undefined && { labelSelector }),
		};
		const opening = new AbortController();
		const timer = after(watchMs, () => opening.abort());
		const ending = AbortSignal.any([signal, opening.signal, this.#closing.signal]);
		const request: ApiRequest = { method: "GET", path: pathOf(resource), query: words };
		try {
			const call: Call = { request, kind: "read", signal };
			return await this.#attempts({ ...call, ending, ms: watchMs }, (answer) => Promise.resolve(answer));
		} finally {
			timer.cancel();
		}
	}

	/** Ends all calls and watches. */
	close(): void {
		this.#closing.abort();
		this.#connection.close();
	}

	// oxlint-disable-next-line max-params -- the parts of a request in their order
	async #write<T extends KubeObject>(
		method: ApiRequest["method"],
		path: string,
		body: string,
		options: CallOptions,
		contentType?: string,
	): Promise<T> {
		const request: ApiRequest = { method, path, body, contentType };
		return this.#object(await this.#call({ ...options, request, kind: "write" }));
	}

	async #page(
		resource: Resource,
		query: Readonly<Record<string, string>>,
		options: Pick<Call, "signal" | "maxBytes" | "withinMs"> & Pick<ApiRequest, "accept">,
	): Promise<KubeList> {
		const { accept, ...rest } = options;
		const request = { method: "GET", path: pathOf(resource), query, accept } as const;
		const body = await this.#call({ ...rest, request, kind: "read" });
		if (body instanceof Object) return body;
		throw noAnswer("AnswerUnreadable", "The cluster's API has answered a list that is none");
	}

	async #namePage(
		resource: Resource,
		words: Readonly<Record<string, string>>,
		signal: AbortSignal | undefined,
	): Promise<KubeList> {
		const { accept, words: more } = nameTable;
		return listOfNames(await this.#page(resource, { ...words, ...more }, { signal, accept }));
	}

	/** The API answers with the kind that it was asked for. */
	#object<T extends KubeObject>(body: unknown): T {
		if (asObject(body)) return body as T;
		throw noAnswer("AnswerUnreadable", "The cluster's API has answered an object that is none");
	}

	#call({ withinMs, ...call }: Call): Promise<unknown> {
		const ms = withinMs ?? callMs[call.kind];
		const signals = [call.signal, this.#closing.signal].filter((one) => one !== undefined);
		const ending = deadline(ms, AbortSignal.any(signals));
		return this.#attempts({ ...call, ending, ms }, async (answer) => parsed(await this.#textOf(answer, call.maxBytes)));
	}

	/** Makes a call, again where the API asks for that. */
	async #attempts<T>(call: TimedCall, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
		const repetitions = new Repetitions(call.kind, call.ms);
		for (;;) {
			try {
				return await this.#attempt(call, read);
			} catch (error) {
				const failure = this.#failureOf(error, call);
				const waitMs = repetitions.waitAfter(failure);
				if (waitMs === undefined) throw failure;
				if (failure.status === 401) this.#access.renew();
				await sleep(waitMs, call.ending);
			}
		}
	}

	async #attempt<T>(
		{ request, kind, secrets = [], maxBytes, ending }: TimedCall,
		read: (answer: IncomingMessage) => Promise<T>,
	): Promise<T> {
		await this.#pace.turn(kind, ending);
		const credentials = await this.#access.credentials();
		ending.throwIfAborted();
		const answer = await this.#connection.send(request, credentials, ending);
		const status = answer.statusCode ?? 0;
		this.#metrics?.counter("atelier_cluster_requests_total").at(request.method, String(status)).add();
		if (status >= 200 && status < 300) return read(answer);
		throw await this.#refusalOf(answer, maxBytes, [...credentials.secrets, ...secrets]);
	}

	async #refusalOf(
		answer: IncomingMessage,
		maxBytes: number | undefined,
		secrets: readonly string[],
	): Promise<ApiError> {
		const text = await this.#textOf(answer, maxBytes);
		const retryAfter = answer.headers["retry-after"];
		return refusalError({ status: answer.statusCode ?? 0, body: parsed(text, {}), retryAfter, secrets });
	}

	async #textOf(answer: IncomingMessage, maxBytes = this.#maxBytes): Promise<string> {
		const tooLarge = () => noAnswer("AnswerTooLarge", `The cluster's API has answered more than ${maxBytes} bytes`);
		return (await readBounded(answer, { maxBytes, tooLarge })).toString("utf8");
	}

	#failureOf(error: unknown, { signal, request, ending, ms }: TimedCall): ApiError {
		const isGivenUp = signal?.aborted === true || this.#closing.signal.aborted;
		return this.#connection.failureOf(error, { request, isGivenUp, isLate: ending.aborted, ms });
	}
}

function json(value: object): string {
	return JSON.stringify(value);
}

/** @param otherwise The value for a text that is no JSON; default: such a text throws. */
function parsed(text: string, otherwise?: object): unknown {
	try {
		return JSON.parse(text);
	} catch {
		if (otherwise) return otherwise;
		// The parser's sentence quotes the text, which may hold anything.
		throw noAnswer("AnswerUnreadable", "The cluster's API has answered what is no JSON");
	}
}
