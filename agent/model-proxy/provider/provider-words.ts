/** What a provider itself says of a failure, from the many forms in which providers say it. Pure. */
import { cutToJsonBytes } from "#shared/pod/answer-size.ts";
import { isJsonObject, type JsonObject, objectsOf, textOf } from "../../io/json-object.ts";

/** Bytes of JSON of what is repeated. */
const maxWordsBytes = 500;
/** Characters of a text that are looked at; it may be a whole page. */
const maxLength = 4_096;

/** One line; empty when nothing is said. @param body Of an answer that is an error, without secrets. */
export function wordsOf(body: string): string {
	return oneLine(wordsIn(parsed(body)) ?? body.slice(0, maxLength).replaceAll(/<[^>]*>/g, " "));
}

/**
 * The body of an answer that is an error, as its provider wrote it unless that tells a secret: JSON may do so in escapes, which
 * its reader takes away.
 */
export function bodyWithoutSecrets(body: string, withoutSecrets: (text: string) => string): string {
	const plain = withoutEscapes(body);
	const clean = plain === undefined ? undefined : withoutSecrets(plain);
	return clean === plain || clean === undefined ? withoutSecrets(body) : clean;
}

/** Its words as they are; undefined unless the event, or the whole of an answer that began well, is a failure. */
export function failureWithin(told: JsonObject): string | undefined {
	const { type, error, response } = told;
	const hasFailed = type === "error" || isJsonObject(error) || textOf(error) !== undefined;
	const failed = type === "response.failed" && isJsonObject(response) ? response : hasFailed ? told : undefined;
	return failed && (wordsIn(failed) ?? "no reason given");
}

/** @param words Without secrets: of one that is cut, a part would stay. */
export function oneLine(words: string): string {
	return cutToJsonBytes(
		words
			.slice(0, maxLength)
			.replaceAll(/[\s\p{Cc}]+/gu, " ")
			.trim(),
		maxWordsBytes,
	);
}

/** The same JSON; undefined when it is none, or nested so deep that it is no error anybody means. */
function withoutEscapes(body: string): string | undefined {
	try {
		return JSON.stringify(JSON.parse(body));
	} catch {
		return undefined;
	}
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}

function wordsIn(value: unknown): string | undefined {
	const told = Array.isArray(value) ? objectsOf(value)[0] : value;
	if (!isJsonObject(told)) return undefined;
	const { error, message, detail } = told;
	const inner = isJsonObject(error) ? error["message"] : error;
	return [inner, message, detail].map(textOf).find((words) => words !== undefined);
}
