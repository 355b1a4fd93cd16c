/** The body of a call: which model it is for, and whether the provider would tell the usage of its stream. Pure. */
import { type JsonObject, isJsonObject, parseJsonObject } from "../json-object.ts";
import { ProxyError } from "./proxy-error.ts";
import type { ProxyRoute } from "./proxy-route.ts";

export interface CallBody {
	model: string;
	/** Whether the caller wants the answer as it comes. */
	isStreaming: boolean;
	/** As the caller wrote it. */
	bytes: Buffer;
	/** What is sent instead so that a stream of `openai-chat` tells its usage, which the caller did not ask for. */
	asking: Buffer | undefined;
}

/** As long as a report of usage may name. */
const maxModelLength = 100;

/** @throws {ProxyError} 400. */
export function readCallBody({ wire, model, path }: ProxyRoute, bytes: Buffer): CallBody {
	const body = parseJsonObject(bytes.toString("utf8"));
	if (!body) throw new ProxyError(400, "The request is no JSON object");
	const named = model ?? body["model"];
	if (typeof named !== "string" || named === "" || named.length > maxModelLength) {
		throw new ProxyError(400, "The request names no model");
	}
	const isStreaming = body["stream"] === true || path.includes(":streamGenerateContent");
	const asking = wire === "openai-chat" && isStreaming ? askingForUsage(body, bytes) : undefined;
	return { model: named, isStreaming, bytes, asking };
}

function askingForUsage({ stream_options: options, ...body }: JsonObject, bytes: Buffer): Buffer | undefined {
	const asked = isJsonObject(options) ? options : {};
	if (asked["include_usage"] === true) return undefined;
	if (options !== undefined) {
		return Buffer.from(JSON.stringify({ ...body, stream_options: { ...asked, include_usage: true } }));
	}
	// Put in front, so that every other byte stays as the caller wrote it.
	const start = bytes.indexOf("{") + 1;
	return Buffer.concat([
		bytes.subarray(0, start),
		Buffer.from('"stream_options":{"include_usage":true},'),
		bytes.subarray(start),
	]);
}
