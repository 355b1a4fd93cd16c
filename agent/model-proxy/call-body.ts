/** The body of a call: which model it is for, and whether the provider would tell the usage of its stream. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { type JsonObject, isJsonObject, parseJsonObject } from "../json-object.ts";
import type { CallBounds } from "./metered-call.ts";
import { ProxyError } from "./proxy-error.ts";
import type { ProxyRoute } from "./proxy-route.ts";
import { callTerms, withOwnTools } from "./terms/call-terms.ts";

export interface CallBody {
	model: string;
	/** Whether the caller wants the answer as it comes. */
	isStreaming: boolean;
	/** As the caller wrote it; where a budget applies, as it was understood here: no member is there twice. */
	bytes: Buffer;
	/** Undefined where no budget applies. */
	bounds: CallBounds | undefined;
	/** What is sent instead so that a stream of `openai-chat` tells its usage, which the caller did not ask for. */
	asking: Buffer | undefined;
}

/** As long as a report of usage may name. */
const maxModelLength = 100;

/** @param options.isLimited Whether a budget applies. @throws {ProxyError} 400. */
export function readCallBody(
	route: ProxyRoute,
	sent: Buffer,
	{ isLimited, headers }: { isLimited: boolean; headers: IncomingHttpHeaders },
): CallBody {
	const { wire, path } = route;
	const said = parseJsonObject(sent.toString("utf8"));
	if (!said) throw new ProxyError(400, "The request is no JSON object");
	const model = modelOf(route, said);
	const body = isLimited ? withOwnTools(wire, said) : said;
	const bytes = isLimited ? Buffer.from(JSON.stringify(body)) : sent;
	const bounds = isLimited ? callTerms(route, body, { headers, bytes: bytes.length }) : undefined;
	const isStreaming = body["stream"] === true || path.includes(":streamGenerateContent");
	const asking = wire === "openai-chat" && isStreaming ? askingForUsage(body, bytes) : undefined;
	return { model, isStreaming, bytes, bounds, asking };
}

/** @throws {ProxyError} 400. */
function modelOf({ model }: ProxyRoute, body: JsonObject): string {
	const named = model ?? body["model"];
	if (typeof named === "string" && named !== "" && named.length <= maxModelLength) return named;
	throw new ProxyError(400, "The request names no model");
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
