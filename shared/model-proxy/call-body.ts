/** Reads and rewrites the body of a call: it must name the session's model, and a stream report its usage. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import type { CallBounds } from "./metering/metered-call.ts";
import { bodyOfModel, namedModel, refuseModelTools } from "./naming/named-model.ts";
import { ProxyError } from "./proxy-error.ts";
import type { ProxyRoute } from "./proxy-route.ts";
import { callTerms, withOwnTools } from "./terms/call-terms.ts";

/** A call's body as it was read, and as it is sent. */
export interface CallBody {
	named: string;
	isStreaming: boolean;
	/**
	 * The body as the caller wrote it. Where a budget applies, or another model was named, it is written again from its
	 * parsed form, in which no member occurs twice.
	 */
	bytes: Buffer;
	/** The bounds on the call's tokens. They are undefined when no budget applies. */
	bounds: CallBounds | undefined;
	/** The body that is sent instead when a stream of `openai-chat` has to report its usage without being asked. */
	asking: Buffer | undefined;
}

/** @throws {ProxyError} with status 400. */
export function readCallBody(
	route: ProxyRoute,
	sent: Buffer,
	{ model, isLimited, headers }: { model: string; isLimited: boolean; headers: IncomingHttpHeaders },
): CallBody {
	const { wire, path } = route;
	const text = sent.toString("utf8");
	const said = parseJsonObject(text);
	if (!said) throw new ProxyError(400, "The request is no JSON object");
	const named = namedModel(route, said);
	const ours = bodyOfModel(route, said, text, model);
	const body = isLimited ? withOwnTools(wire, ours) : ours;
	refuseModelTools(body);
	const bytes = body === said ? sent : Buffer.from(JSON.stringify(body));
	const bounds = isLimited ? callTerms(route, body, { headers, bytes: bytes.length }) : undefined;
	const isStreaming = body["stream"] === true || path.includes(":streamGenerateContent");
	const asking = wire === "openai-chat" && isStreaming ? askingForUsage(body, bytes) : undefined;
	return { named, isStreaming, bytes, bounds, asking };
}

/** Returns the body of a request that counts tokens. @param model The session's model. */
export function countBody(route: ProxyRoute, sent: Buffer, model: string): Buffer {
	const text = sent.toString("utf8");
	const said = parseJsonObject(text);
	const body = said && bodyOfModel(route, said, text, model);
	return !body || body === said ? sent : Buffer.from(JSON.stringify(body));
}

function askingForUsage({ stream_options: options, ...body }: JsonObject, bytes: Buffer): Buffer | undefined {
	const asked = isJsonObject(options) ? options : {};
	if (asked["include_usage"] === true) return undefined;
	if (options !== undefined) {
		return Buffer.from(JSON.stringify({ ...body, stream_options: { ...asked, include_usage: true } }));
	}
	// The option is put in front, so that every other byte stays as the caller wrote it.
	const start = bytes.indexOf("{") + 1;
	return Buffer.concat([
		bytes.subarray(0, start),
		Buffer.from('"stream_options":{"include_usage":true},'),
		bytes.subarray(start),
	]);
}
