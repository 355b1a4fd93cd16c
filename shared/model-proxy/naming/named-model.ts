/** Finds the model that a caller names, and replaces it by the session's model. Pure. */
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";
import { isNamedTwice } from "./named-twice.ts";
import { ProxyError } from "../proxy-error.ts";
import type { ProxyRoute } from "../proxy-route.ts";

/** The members with the model, and with lists of models that some providers call when the first one fails. */
const modelMembers = new Set(["model", "models", "fallbacks"]);

/** @throws {ProxyError} with status 400 when the body names no model or several. */
export function namedModel({ model }: ProxyRoute, body: JsonObject): string {
	const further = Object.keys(body).find((name) => name !== "model" && modelMembers.has(withoutCase(name)));
	if (further !== undefined) throw new ProxyError(400, `A call is of the session's model alone, without "${further}"`);
	const named = model ?? body["model"];
	if (typeof named === "string" && named !== "") return named;
	throw new ProxyError(400, "The request names no model");
}

/**
 * Refuses tools that call a model at the provider, because their tokens are not reported with those of the call.
 * @throws {ProxyError} with status 400.
 */
export function refuseModelTools({ tools }: JsonObject): void {
	if (objectsOf([tools].flat()).some((tool) => tool["model"] !== undefined))
		throw new ProxyError(400, "A call is of the session's model alone, without a tool that names another");
}

/**
 * Returns the body as it is sent: the same object when it names the session's model already.
 * @param text The text of the body. Where it has a member twice, the provider may read the other one.
 */
export function bodyOfModel({ model: inPath }: ProxyRoute, body: JsonObject, text: string, model: string): JsonObject {
	if (inPath !== undefined) return body;
	return body["model"] === model && !isNamedTwice(text, "model") ? body : { ...body, model };
}

/** Returns the path with the session's model in the place of the named one, if the path names one. */
export function pathOfModel({ path, model: inPath }: ProxyRoute, model: string): string {
	return inPath === undefined || inPath === model
		? path
		: path.replace(`/${inPath}:`, () => `/${encodeURIComponent(model)}:`);
}

/** Some parsers take members in any case, Go's among them: two letters beyond ASCII count as "k" and "s" there. */
function withoutCase(name: string): string {
	return name.toUpperCase().toLowerCase();
}
