/** Sends calls to the engine. No header of a request is passed on, and every call has a connection of its own. */
import { type IncomingMessage, request as httpRequest } from "node:http";
import { readBounded } from "#shared/base/bounded-read.ts";

const maxInspectBytes = 1_048_576;
/** The time without a byte of the engine after which a call counts as dead, in milliseconds. */
const inspectMs = 10_000;

/** A call as it is sent. */
export interface EngineCall {
	readonly socketPath: string;
	readonly method: string;
	readonly target: string;
	readonly body: string;
	/** The longest silence of the engine, in milliseconds. */
	readonly idleMs: number;
	readonly signal: AbortSignal;
}

/** Resolves to the engine's answer, of which the headers are there. @throws {Error} without one. */
export function callEngine({ socketPath, method, target, body, idleMs, signal }: EngineCall): Promise<IncomingMessage> {
	const headers = body === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
	return new Promise((resolve, reject) => {
		const outgoing = httpRequest({ socketPath, method, path: target, headers, agent: false, signal }, resolve);
		outgoing.on("error", reject);
		outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error("The container engine was silent for too long")));
		outgoing.end(body);
	});
}

/** A container as far as the filter has to know it. */
export interface InspectedContainer {
	readonly id: string;
	readonly installation: string | undefined;
}

/** Returns the container with the name; undefined when there is none. @throws {Error} for another answer. */
export async function inspected(
	socketPath: string,
	name: string,
	signal: AbortSignal,
): Promise<InspectedContainer | undefined> {
	const target = `/v1.41/containers/${name}/json`;
	const answer = await callEngine({ socketPath, method: "GET", target, body: "", idleMs: inspectMs, signal });
	const tooLarge = () => new Error("The container engine describes a container in too many bytes");
	const bytes = await readBounded(answer, { maxBytes: maxInspectBytes, tooLarge });
	if (answer.statusCode === 404) return undefined;
	const described = JSON.parse(bytes.toString("utf8")) as {
		Id?: unknown;
		Name?: unknown;
		Config?: { Labels?: Record<string, unknown> | null };
	};
	const { Id: id, Name: own } = described;
	if (typeof id !== "string" || !/^[0-9a-f]{64}$/.test(id) || ![`/${name}`, name].includes(String(own)))
		throw new Error("The container engine describes a container in a form that is not known");
	const installation = described.Config?.Labels?.["atelier.installation"];
	return { id, installation: typeof installation === "string" ? installation : undefined };
}
