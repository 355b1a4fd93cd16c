/** Which model a caller names, and the same request of the session's model, which is the one that is called. Pure. */
import { type JsonObject, objectsOf } from "../../io/json-object.ts";
import { isNamedTwice } from "./named-twice.ts";
import { ProxyError } from "../proxy-error.ts";
import type { ProxyRoute } from "../proxy-route.ts";

/** The model, and lists of those that some providers call when the first one fails. */
const modelMembers = new Set(["model", "models", "fallbacks"]);

/** @throws {ProxyError} 400 when it names none, or several. */
export function namedModel({ model }: ProxyRoute, body: JsonObject): string {
	const further = Object.keys(body).find((name) => name !== "model" && modelMembers.has(withoutCase(name)));
	if (further !== undefined) throw new ProxyError(400, `A call is of the session's model alone, without "${further}"`);
	const named = model ?? body["model"];
	if (typeof named === "string" && named !== "") return named;
	throw new ProxyError(400, "The request names no model");
}

/** Of tools that the provider runs some call a model, whose tokens are not told with those of the call. @throws {ProxyError} 400. */
export function refuseModelTools({ tools }: JsonObject): void {
	if (objectsOf([tools].flat()).some((tool) => tool["model"] !== undefined))
		throw new ProxyError(400, "A call is of the session's model alone, without a tool that names another");
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

/** As parsers do that take members in any case, Go's among them: two letters beyond ASCII count as "k" and "s" there. */
function withoutCase(name: string): string {
	return name.toUpperCase().toLowerCase();
}
