/** Derives requests from the contract that violate it in one place each. */
import type { JsonSchema, Parameter } from "./json-schema.ts";
import { leastBodies, type OperationRequest } from "./request.ts";
import type { Operation, WireContract } from "./wire-contract.ts";

export interface WrongRequest {
	what: string;
	request: OperationRequest;
	/** The location of the fault that the answer, a 422, must name. */
	loc: (string | number)[];
}

/**
 * The violations that are checked after parsing, with 400 and a sentence; the scenario tests them on a real session.
 */
const judgedLater = [
	"getSessionDiff query base=no-such-value",
	"getChronicleDiff query base=no-such-value",
	"sendSessionMessage no member content",
];

export function wrongRequests(contract: WireContract, operation: Operation): WrongRequest[] {
	const all = [...wrongParameters(contract, operation), ...wrongBodies(contract, operation)];
	return all.filter(({ what }) => !judgedLater.includes(`${operation.id} ${what}`));
}

function wrongParameters(contract: WireContract, operation: Operation): WrongRequest[] {
	return operation.parameters.flatMap((parameter) =>
		wrongTexts(contract.resolve(parameter.schema)).map((value) => ({
			what: `${parameter.in} ${parameter.name}=${value}`,
			request: withBody(operation, parameterRequest(parameter, value)),
			loc: [parameter.in, parameter.name],
		})),
	);
}

function parameterRequest({ in: place, name }: Parameter, value: string): OperationRequest {
	return place === "path" ? { path: { [name]: value } } : { query: { [name]: value } };
}

function withBody(operation: Operation, request: OperationRequest): OperationRequest {
	return operation.body ? { ...request, body: leastBodies[operation.id] ?? {} } : request;
}

/** Returns texts that are no value of a parameter; empty when every text is one. */
function wrongTexts({ type, format, enum: values, minimum, maximum }: JsonSchema): string[] {
	if (values) return ["no-such-value"];
	if (format === "uuid") return ["no-uuid", "123"];
	if (type === "boolean") return ["maybe"];
	if (type !== "integer" && type !== "number") return [];
	const outside = [minimum === undefined ? [] : [minimum - 1], maximum === undefined ? [] : [maximum + 1]].flat();
	return ["x", "1.5", ...outside.map(String)];
}

function wrongBodies(contract: WireContract, operation: Operation): WrongRequest[] {
	if (!operation.body) return [];
	const { properties = {}, required = [] } = contract.resolve(operation.body.schema);
	const least = leastBodies[operation.id] ?? {};
	const whole: WrongRequest[] = [
		{ what: "a body that is no JSON", request: { body: '{"a":' }, loc: ["body"] },
		{ what: "a list as body", request: { body: [] }, loc: ["body"] },
		...(operation.body.required ? [{ what: "no body", request: {}, loc: ["body"] }] : []),
	];
	const missing = required.map((name) => ({
		what: `no member ${name}`,
		request: { body: Object.fromEntries(Object.entries(least).filter(([key]) => key !== name)) },
		loc: ["body", name],
	}));
	const wrong = Object.entries(properties).flatMap(([name, schema]) =>
		wrongValues(contract.resolve(schema)).map(({ what, value }) => ({
			what: `${what} of ${name}`,
			request: { body: { ...least, [name]: value } },
			loc: ["body", name],
		})),
	);
	return [...whole, ...missing, ...wrong];
}

/** Returns values that a member cannot have, except texts that could be parsed as the wanted type. */
function wrongValues(schema: JsonSchema): { what: string; value: unknown }[] {
	const types = [schema.type ?? []].flat();
	const what = "wrong type";
	const values: { what: string; value: unknown }[] = [];
	if (schema.oneOf || types.includes("object")) values.push({ what, value: 7 });
	else if (types.includes("array")) values.push({ what, value: "x" }, { what: "wrong item", value: [[]] });
	else if (types.length > 0) values.push({ what, value: { a: 1 } });
	if (schema.maxLength !== undefined)
		values.push({ what: "too long a value", value: "x".repeat(schema.maxLength + 1) });
	if (schema.minLength !== undefined) values.push({ what: "too short a value", value: "" });
	if (schema.pattern !== undefined) values.push({ what: "a value outside the pattern", value: "-Not A Label-" });
	if (schema.format === "uuid") values.push({ what: "no uuid", value: "no-uuid" });
	return values;
}
