/** What a provider itself says of a failure, from the many forms in which providers say it. Pure. */
import { cutToJsonBytes } from "#shared/pod/answer-size.ts";
import { isJsonObject, type JsonObject, objectsOf, textOf } from "../json-object.ts";

/** Bytes of JSON of what is repeated. */
const maxWordsBytes = 500;
/** Characters of a text that is no JSON, which may be a whole page. */
const maxPage = 4_096;

/** One line; empty when nothing is said. @param body Of an answer that is an error. */
export function wordsOf(body: string): string {
	return oneLine(wordsIn(parsed(body)) ?? body.slice(0, maxPage).replaceAll(/<[^>]*>/g, " "));
}

/** Undefined unless the event, or the whole of an answer that began well, is a failure. */
export function failureWithin(told: JsonObject): string | undefined {
	const { type, error, response } = told;
	const hasFailed = type === "error" || isJsonObject(error) || textOf(error) !== undefined;
	const failed = type === "response.failed" && isJsonObject(response) ? response : hasFailed ? told : undefined;
	return failed && oneLine(wordsIn(failed) ?? "no reason given");
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}

function wordsIn(value: unknown): string | undefined {
	if (Array.isArray(value)) return wordsIn(objectsOf(value)[0]);
	if (!isJsonObject(value)) return undefined;
	const { error, message, detail } = value;
	return wordsIn(error) ?? [error, message, detail].map(textOf).find((words) => words !== undefined);
}

function oneLine(words: string): string {
	return cutToJsonBytes(words.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(), maxWordsBytes);
}
