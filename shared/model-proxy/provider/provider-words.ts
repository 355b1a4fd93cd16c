/** Finds the provider's own description of a failure, which has many forms. Pure. */
import { cutToJsonBytes } from "#shared/base/answer-size.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, parseJson, textOf } from "#shared/base/schema/parsed-json.ts";

/** The bound on what is repeated, in bytes of JSON. */
const maxWordsBytes = 500;
/** The bound on the text that is examined, in characters; the text may be a whole web page. */
const maxLength = 4_096;

/** Returns one line, or an empty text. @param body The body of an error response, without secrets. */
export function wordsOf(body: string): string {
	return oneLine(wordsIn(parseJson(body)) ?? body.slice(0, maxLength).replaceAll(/<[^>]*>/g, " "));
}

/**
 * Returns the body of an error response without secrets. It is the provider's own text unless a secret is hidden in
 * escapes of JSON, in which case it is written again from its parsed form.
 */
export function bodyWithoutSecrets(body: string, withoutSecrets: (text: string) => string): string {
	const plain = withoutEscapes(body);
	const clean = plain === undefined ? undefined : withoutSecrets(plain);
	return clean === plain || clean === undefined ? withoutSecrets(body) : clean;
}

/** Returns the description of a failure in an event or in a response that began well; undefined without one. */
export function failureWithin(value: JsonObject): string | undefined {
	const { type, error, response } = value;
	const hasFailed = type === "error" || isJsonObject(error) || textOf(error) !== undefined;
	const failed = type === "response.failed" && isJsonObject(response) ? response : hasFailed ? value : undefined;
	return failed && (wordsIn(failed) ?? "no reason given");
}

/** @param words They must be without secrets: a part of a secret would remain when the text is cut. */
export function oneLine(words: string): string {
	return cutToJsonBytes(
		words
			.slice(0, maxLength)
			.replaceAll(/[\s\p{Cc}]+/gu, " ")
			.trim(),
		maxWordsBytes,
	);
}

/** Returns the same JSON without escapes; undefined when the text is no JSON, or nested too deeply. */
function withoutEscapes(body: string): string | undefined {
	try {
		return JSON.stringify(JSON.parse(body));
	} catch {
		return undefined;
	}
}

function wordsIn(value: unknown): string | undefined {
	const first = Array.isArray(value) ? objectsOf(value)[0] : value;
	if (!isJsonObject(first)) return undefined;
	const { error, message, detail } = first;
	const inner = isJsonObject(error) ? error["message"] : error;
	return [inner, message, detail].map(textOf).find((words) => words !== undefined);
}
