/** Which model a caller names, and the same request of the session's model, which is the one that is called. Pure. */
import type { JsonObject } from "../../io/json-object.ts";
import { isNamedTwice } from "./named-twice.ts";
import { ProxyError } from "../proxy-error.ts";
import type { ProxyRoute } from "../proxy-route.ts";

/** Lists of models that some providers call when the first one fails. */
const furtherModels = ["models", "fallbacks"];

/** @throws {ProxyError} 400 when it names none, or several. */
export function namedModel({ model }: ProxyRoute, body: JsonObject): string {
	const further = furtherModels.find((name) => body[name] !== undefined);
	if (further !== undefined) throw new ProxyError(400, `A call is of the session's model alone, without "${further}"`);
	const named = model ?? body["model"];
	if (typeof named === "string" && named !== "") return named;
	throw new ProxyError(400, "The request names no model");
}

/**
 * The body as it is to be sent: itself when it is of the session's model already.
 * @param text What it was read from, where a provider may read another one of two members.
 * @param model The session's.
 */
export function bodyOfModel({ model: inPath }: ProxyRoute, body: JsonObject, text: string, model: string): JsonObject {
	if (inPath !== undefined) return body;
	return body["model"] === model && !isNamedTwice(text, "model") ? body : { ...body, model };
}

/** The path with the session's model, where it names one. */
export function pathOfModel({ path, model: inPath }: ProxyRoute, model: string): string {
	return inPath === undefined || inPath === model
		? path
		: path.replace(`/${inPath}:`, () => `/${encodeURIComponent(model)}:`);
}
