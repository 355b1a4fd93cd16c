/**
 * Converts an HTTP request to the parameters of one action, by its contract. Each parameter is read from its own place
 * only, so that a body cannot override a path.
 */
import type { Method } from "#shared/contracts/contract.ts";
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import { compileSchema, type Failure } from "#shared/base/schema/validator.ts";
import { InvalidRequestError } from "../http/http-errors.ts";
import type { JsonObject } from "../http/json-body.ts";
import type { Problem } from "../http/problem-items.ts";
import { compileLax, type Convert } from "./lax-values.ts";
import { problemsOf } from "./param-problems.ts";

export type ParameterPlace = "path" | "query" | "body";

/** The parameters that are in the query of every method, unless the contract names others. */
const defaultInQuery: readonly string[] = ["cursor"];

/**
 * Returns the place of a parameter: the path if it names it, the query of a GET or where the contract says so, otherwise
 * the body.
 */
export function placeOf(method: Method, path: string, parameter: string, inQuery = defaultInQuery): ParameterPlace {
	if (path.split("/").includes(`:${parameter}`)) return "path";
	return method === "GET" || inQuery.includes(parameter) ? "query" : "body";
}

export interface RequestParts {
	/** The decoded parameters of the path. */
	readonly path: Readonly<Record<string, string | undefined>>;
	/** The query as sent, without the question mark. */
	readonly query: string;
	readonly body: JsonObject;
}

/** Reads the parameters of a request. @throws {InvalidRequestError} */
export type ReadParams = (parts: RequestParts) => Record<string, unknown>;

interface Field {
	readonly name: string;
	readonly place: ParameterPlace;
	/** Parses a text of a path or query; undefined when it does not have the parameter's type. */
	readonly fromText: FromText;
	/** Reads a member of the body that has the form of another type; undefined for most. */
	readonly convert: Convert | undefined;
}

type FromText = (text: string) => { value: unknown } | { failure: Failure["type"] };

/**
 * Prepares the reading of a route's parameters.
 * @throws {TypeError} when the contract expects a value that a URL cannot contain.
 */
export function compileParams(params: Schema, method: Method, path: string, inQuery?: readonly string[]): ReadParams {
	const check = compileSchema(params);
	const fields = Object.entries(params).map(([name, rule]): Field => {
		const place = placeOf(method, path, name, inQuery);
		if (place === "body") return { name, place, fromText: asIs, convert: compileLax(rule) };
		return { name, place, fromText: textReader(name, rule), convert: undefined };
	});
	const places = new Map(fields.map(({ name, place }) => [name, place]));
	const known = {
		params,
		placeOf: (name: string): ParameterPlace => places.get(name) ?? "body",
		inBody: Object.fromEntries(Object.entries(params).filter(([name]) => places.get(name) === "body")),
	};
	const queryNames = new Set(fields.filter(({ place }) => place === "query").map(({ name }) => name));

	return (parts) => {
		const problems: Problem[] = [];
		const query = readQuery(parts.query, queryNames, problems);
		const values: Record<string, unknown> = {};
		const texts = new Map<string, string>();
		for (const field of fields) {
			if (field.place === "body") copyMember(field, parts.body, values);
			else {
				const text = field.place === "path" ? parts.path[field.name] : query?.get(field.name);
				if (text === undefined) continue;
				texts.set(field.name, text);
				readText(field, text, values, problems);
			}
		}
		if (problems.length === 0)
			problems.push(...problemsOf(check(values), { ...known, values, texts, body: parts.body }));
		if (problems.length > 0) throw new InvalidRequestError(problems);
		return values;
	};
}

function copyMember({ name, convert }: Field, body: JsonObject, values: Record<string, unknown>): void {
	if (Object.hasOwn(body, name)) values[name] = convert ? convert(body[name]) : body[name];
}

function readText(
	{ name, place, fromText }: Field,
	text: string,
	values: Record<string, unknown>,
	problems: Problem[],
): void {
	const outcome = fromText(text);
	if ("value" in outcome) values[name] = outcome.value;
	else problems.push({ loc: [place, name], failure: failed(outcome.failure), input: text });
}

/** Reads the known parameters; additional ones, from browsers or proxies, are ignored. */
function readQuery(query: string, known: ReadonlySet<string>, problems: Problem[]): Map<string, string> | undefined {
	if (query === "") return undefined;
	const values = new Map<string, string>();
	for (const [name, value] of new URLSearchParams(query)) {
		if (!known.has(name)) continue;
		if (values.has(name)) problems.push({ loc: ["query", name], failure: failed("repeated") });
		values.set(name, value);
	}
	return values;
}

const asIs: FromText = (text) => ({ value: text });

const fromInteger: FromText = (text) =>
	/^-?\d{1,9}$/.test(text) ? { value: Number(text) } : { failure: "integerText" };

const fromNumber: FromText = (text) =>
	/^-?\d{1,9}(\.\d{1,9})?$/.test(text) ? { value: Number(text) } : { failure: "numberText" };

const booleans = new Map([
	["true", true],
	["1", true],
	["false", false],
	["0", false],
]);

const fromBoolean: FromText = (text) =>
	booleans.has(text) ? { value: booleans.get(text) } : { failure: "booleanText" };

/** The parsers by type of rule. A URL contains no lists and objects. */
const readers: Readonly<Partial<Record<Rule["type"], FromText>>> = {
	string: asIs,
	uuid: asIs,
	url: asIs,
	email: asIs,
	enum: asIs,
	number: fromNumber,
	boolean: fromBoolean,
};

function textReader(name: string, rule: Rule): FromText {
	const reader = rule.type === "number" && rule.integer ? fromInteger : readers[rule.type];
	if (!reader) throw new TypeError(`Cannot read the parameter "${name}" of type "${rule.type}" from a URL`);
	return reader;
}

function failed(type: string): Failure {
	return { type, path: [], message: "" };
}
