/** Calls operations of the contract on a running platform and checks every answer. */
import type { Answer, ApiClient } from "../clients/api-client.ts";
import { type OperationRequest, pathOf } from "./request.ts";
import type { Operation, WireContract } from "./wire-contract.ts";

/** Sends one request; tests may replace it. */
export type Send = (operation: Operation, request: OperationRequest) => Promise<Answer>;

export function sendWith(client: ApiClient): Send {
	return (operation, { path, query, body }) =>
		client.request(operation.method, pathOf(operation, path), {
			...(query && { query }),
			...(body !== undefined && { body }),
		});
}

export class Walker {
	readonly contract: WireContract;
	readonly #send: Send;
	/** Operations that have answered with success at least once. */
	readonly succeeded = new Set<string>();
	answersChecked = 0;

	constructor(contract: WireContract, send: Send) {
		this.contract = contract;
		this.#send = send;
	}

	/**
	 * Returns the answer, which fits the contract. @throws {Error} when it does not, or has another status than
	 * expected.
	 */
	async call<T>(id: string, status: number, request: OperationRequest = {}): Promise<T> {
		const { body } = await this.answer(id, status, request);
		return body as T;
	}

	/** Calls an operation like {@link call}, and returns the answer with its headers. */
	async answer(id: string, status: number, request: OperationRequest = {}): Promise<Answer> {
		const answer = await this.#send(this.contract.operation(id), request);
		const faults = this.contract.faults(id, {
			status: answer.status,
			contentType: answer.headers.get("content-type") ?? "",
			body: answer.body,
		});
		if (answer.status !== status) faults.unshift(`${id}: ${answer.status} instead of ${status}: ${answer.text}`);
		if (faults.length > 0) throw new Error(faults.join("\n"));
		this.answersChecked++;
		if (answer.status < 300) this.succeeded.add(id);
		return answer;
	}

	/** Counts an answer that another check has found correct. */
	countAnswer(id: string): void {
		this.answersChecked++;
		this.succeeded.add(id);
	}
}

/** Whether the gateway has a route for an operation, by its answer to a request with an unknown id. */
export async function isRouted(send: Send, operation: Operation): Promise<boolean> {
	const { status, headers } = await send(operation, operation.body ? { body: {} } : {});
	return status !== 405 && headers.get("x-error-code") !== "UNKNOWN_PATH";
}

/** Returns the contradictions between the list of missing operations and the routes of the platform. */
export function listFaults(
	operations: readonly Operation[],
	notBuilt: Readonly<Record<string, readonly string[]>>,
	routed: ReadonlySet<string>,
): string[] {
	const listed = Object.entries(notBuilt).flatMap(([area, ids]) => ids.map((id) => ({ area, id })));
	return [
		...listed.filter(({ id }) => routed.has(id)).map(({ id }) => `${id} is built: take it off the list`),
		...listed
			.filter((entry) => !operations.some(({ id, area }) => id === entry.id && area === entry.area))
			.map(({ area, id }) => `${id} is no operation of the area "${area}"`),
		...operations
			.filter(({ id }) => !routed.has(id) && !listed.some((entry) => entry.id === id))
			.map(({ id }) => `${id} is neither built nor on the list`),
	];
}
