/**
 * Makes the answer to a successful request: the result as JSON, or as the text that the client accepts, or a page's items and
 * the URL of the next page.
 */
import { textOf } from "#shared/base/schema/json-text.ts";
import type { TextForm } from "#shared/contracts/contract.ts";
import type { ActionRoute } from "./action-route.ts";
import type { Answer } from "../http/answer.ts";
import { urlParts } from "../http/url-parts.ts";
import { warningHeaders } from "./warning-headers.ts";

/**
 * Makes the answer.
 * @param url The requested URL; the next page's URL differs in the cursor only.
 * @param accept The `Accept` header of the request.
 */
export function successAnswer({ action, status }: ActionRoute, result: unknown, url: string, accept = ""): Answer {
	if (action.returns === undefined) return { status };
	if (result === null && action.returns.nullable) return { status: 204 };
	if (action.produces === "text/html") return pageAnswer(status, result);
	if (action.warned !== undefined) return warnedAnswer(action.warned, status, result);
	if (action.text_form) return formAnswer(action.text_form, status, result, accept);
	if (action.paged) return listAnswer(action, status, result, url);
	return { status, body: textOf(result) };
}

/** Returns the answer with the items of a page, and the URL of the next one. */
function listAnswer({ wrapped }: ActionRoute["action"], status: number, result: unknown, url: string): Answer {
	const { items, next, etag, unchanged } = asPage(result);
	const tag = etag === undefined ? [] : ["ETag", etag];
	// The client may store the answer, but must revalidate it each time.
	const caching = etag === undefined ? "no-store" : "private, no-cache";
	if (unchanged) return { status: 304, headers: tag, caching };
	const link = next === undefined ? [] : ["Link", `<${withCursor(url, next)}>; rel="next"`];
	const body = wrapped === undefined ? textOf(items) : `{${JSON.stringify(wrapped)}:${textOf(items)}}`;
	return { status, body, headers: [...link, ...tag], caching };
}

/** Returns the answer with the text of the result, if it has one and the client accepts it, and as JSON otherwise. */
function formAnswer(form: TextForm, status: number, result: unknown, accept: string): Answer {
	const type = form.types.find((one) => acceptedTypes(accept).includes(one));
	const members: Readonly<Record<string, unknown>> = typeof result === "object" && result !== null ? { ...result } : {};
	const text = members[form.member];
	const varies = ["Vary", "Accept"];
	if (type === undefined || typeof text !== "string") return { status, body: textOf(result), headers: varies };
	const isTruncated = members["truncated"] === true;
	const body = isTruncated ? `${noteOf(form, members)}${text}` : text;
	const headers = [...varies, "Atelier-Truncated", String(isTruncated)];
	return { status, body, type: `${type}; charset=utf-8`, headers };
}

/** Returns the answer with one member of the result, and a header with the sentences about what it lacks. */
function warnedAnswer(member: string, status: number, result: unknown): Answer {
	const { [member]: answer, warnings }: Readonly<Record<string, unknown>> = { ...(result as object) };
	const sentences = Array.isArray(warnings) ? warnings.map(String) : [];
	return { status, body: textOf(answer), headers: warningHeaders(sentences) };
}

/** Returns the lines before an incomplete text: that it is, and the names of what is missing. */
function noteOf({ truncated_note, omitted = "" }: TextForm, members: Readonly<Record<string, unknown>>): string {
	const missing = members[omitted];
	const names: unknown[] = Array.isArray(missing) ? missing : [];
	return [truncated_note, ...names.map((name) => `Missing: ${String(name)}`)].map((line) => `${line}\n`).join("");
}

/** Returns the media types of an `Accept` header without their parameters. */
function acceptedTypes(accept: string): string[] {
	return accept.split(",").map((range) => (range.split(";", 1)[0] ?? "").trim().toLowerCase());
}

/** Returns the answer with a page for people. @throws {TypeError} when the service has violated its contract. */
function pageAnswer(status: number, result: unknown): Answer {
	if (typeof result !== "object" || result === null || !("html" in result) || !("policy" in result))
		throw new TypeError("Cannot answer with a page that has no content");
	const { html, policy } = result;
	return { status, body: String(html), type: "text/html; charset=utf-8", policy: String(policy) };
}

interface Page {
	readonly items?: unknown;
	readonly next?: string;
	readonly etag?: string;
	readonly unchanged?: boolean;
}

/** Returns the result as a page. @throws {TypeError} when the service has violated its contract. */
function asPage(result: unknown): Page {
	if (typeof result === "object" && result !== null && "items" in result) return result;
	throw new TypeError("Cannot answer with a page that has no items");
}

function withCursor(url: string, cursor: string): string {
	const { path, query } = urlParts(url);
	const parameters = new URLSearchParams(query);
	parameters.set("cursor", cursor);
	return `${path.replaceAll(">", "%3E")}?${parameters}`;
}
