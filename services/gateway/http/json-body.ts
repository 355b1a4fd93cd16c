/** Reads the body of a request: one JSON object in UTF-8, or its unparsed text, bounded in bytes and depth before other code reads it. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBounded } from "#shared/base/bounded-read.ts";
import { HttpError, InvalidRequestError } from "./http-errors.ts";
import { jsonMistake } from "./json-mistake.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const maxDepth = 32;
const jsonType = /^application\/json(?: *; *charset="?utf-8"?)?$/i;
/** The most characters of a media type; a longer one is not JSON. */
const maxTypeLength = 100;

interface BodyRead {
	/** A larger body is not read to its end. */
	readonly maxBytes: number;
	/** Called with the size of each part before it is stored. An error that it throws ends the reading. */
	readonly onChunk?: (bytes: number) => void;
}

const nothing: JsonObject = Object.freeze({});

const tooLarge = new HttpError(413, "The request body is too large");
const notJson = new HttpError(
	415,
	'The request body must be JSON in UTF-8 with the header "Content-Type: application/json" (curl: --json)',
);
const encoded = new HttpError(415, "The request body must not be compressed");
const unexpected = new HttpError(400, "A request with this method has no body");

export function refuseBody(request: IncomingMessage): void {
	if (hasBody(request)) throw unexpected;
}

/**
 * Returns the body; an empty object when there is none.
 * @throws {HttpError | InvalidRequestError}
 */
export async function readJsonBody(
	request: IncomingMessage,
	response: ServerResponse,
	bounds: BodyRead,
): Promise<JsonObject> {
	if (!hasBody(request)) return nothing;
	return parseObject(await jsonBytes(request, response, bounds));
}

/** The headers of senders that sign what they send. No credential of a caller is among them. */
const signing = /^(?:x-|webhook-|idempotency-key$)/;

/**
 * Returns a JSON body unparsed, with the headers of its sender. @throws {HttpError | InvalidRequestError} as
 * {@link readJsonBody}.
 */
export async function readRawBody(
	request: IncomingMessage,
	response: ServerResponse,
	bounds: BodyRead,
): Promise<JsonObject> {
	const bytes = await jsonBytes(request, response, bounds);
	if (!isUtf8(bytes)) throw problem("json", "The text is not UTF-8");
	const given = Object.entries(request.headers).filter(
		([name, value]) => signing.test(name) && typeof value === "string",
	);
	return { body: bytes.toString(), headers: Object.fromEntries(given) };
}

async function jsonBytes(request: IncomingMessage, response: ServerResponse, bounds: BodyRead): Promise<Buffer> {
	const { headers } = request;
	if (headers["content-encoding"] !== undefined) throw encoded;
	if (!isJsonType(headers["content-type"] ?? "")) throw notJson;
	if (Number(headers["content-length"] ?? 0) > bounds.maxBytes) throw tooLarge;
	if (headers.expect !== undefined) response.writeContinue();
	return collect(request, bounds);
}

/** Whether a `Content-Type` means JSON in UTF-8. */
export function isJsonType(type: string): boolean {
	return type.length <= maxTypeLength && jsonType.test(type.trim());
}

export function hasBody({ headers }: IncomingMessage): boolean {
	return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function collect(request: IncomingMessage, { maxBytes, onChunk }: BodyRead): Promise<Buffer> {
	const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
	return readBounded(body, { maxBytes, tooLarge: () => tooLarge, ...(onChunk && { onChunk }) });
}

/**
 * Parses a body. @throws {InvalidRequestError} when the bytes are not one JSON object, or one that is too deep or has
 * dangerous names.
 */
export function parseObject(bytes: Buffer): JsonObject {
	const value = parse(bytes);
	if (!isObject(value) || Array.isArray(value)) throw problem("object");
	refuseTraps(value, 1);
	// NUL has no other form in JSON.
	if (bytes.includes("\\u0000")) refuseNulNames(value);
	return value;
}

function parse(bytes: Buffer): unknown {
	if (!isUtf8(bytes)) throw problem("json", "The text is not UTF-8");
	const text = bytes.toString();
	try {
		return JSON.parse(text);
	} catch {
		const { at, sentence } = jsonMistake(text) ?? { at: 0, sentence: "The text is not JSON" };
		throw problem("json", sentence, [at]);
	}
}

/** Refuses members named `__proto__`: assigning one later, anywhere, would change the prototype of an object. */
function refuseTraps(value: object, depth: number): void {
	if (depth > maxDepth) throw problem("depth", maxDepth);
	if (Object.hasOwn(value, "__proto__")) throw problem("memberName", "__proto__");
	for (const member of Object.values(value)) if (isObject(member)) refuseTraps(member, depth + 1);
}

/** Refuses names with NUL, because MongoDB would store them only up to that character. */
function refuseNulNames(value: object): void {
	for (const [name, member] of Object.entries(value)) {
		if (name.includes("\0")) throw problem("memberName", name.replaceAll("\0", "\\u0000"));
		if (isObject(member)) refuseNulNames(member);
	}
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null;
}

/** @param place The place of the mistake within the body. */
function problem(type: string, expected?: unknown, place: readonly number[] = []): InvalidRequestError {
	const failure = { type, path: [], message: "", ...(expected !== undefined && { expected }) };
	return new InvalidRequestError([{ loc: ["body", ...place], failure }]);
}
