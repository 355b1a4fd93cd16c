/** Requests that break the contract in one place each, derived from the contract itself. */
import type { JsonSchema, Parameter } from "./json-schema.ts";
import { leastBodies, type OperationRequest } from "./request.ts";
import type { Operation, WireContract } from "./wire-contract.ts";

export interface WrongRequest {
	what: string;
	request: OperationRequest;
	status: number;
	/** Where the answer must say that the fault is; undefined where the contract wants a plain sentence. */
	loc?: (string | number)[];
}

/** Values the contract judges only after parsing, so that they are answered with a sentence. */
const plainRefusals: Readonly<Record<string, number>> = {
	"getSessionDiff base": 400,
	"sendSessionMessage content": 400,
};

export function wrongRequests(contract: WireContract, operation: Operation): WrongRequest[] {
	return [...wrongParameters(contract, operation), ...wrongBodies(contract, operation)].map((wrong) => {
		const plain = wrong.loc && plainRefusals[`${operation.id} ${wrong.loc.at(-1)}`];
		if (plain === undefined || wrong.what.startsWith("wrong type")) return wrong;
		return { what: wrong.what, request: wrong.request, status: plain };
	});
}

function wrongParameters(contract: WireContract, operation: Operation): WrongRequest[] {
	return operation.parameters.flatMap((parameter) =>
		wrongTexts(contract.resolve(parameter.schema)).map((value) => ({
			what: `${parameter.in} ${parameter.name}=${value}`,
			request: withBody(operation, parameterRequest(parameter, value)),
			status: 422,
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

/** Texts that are no value of a parameter; empty when every text is. */
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
		{ what: "a body that is no JSON", request: { body: '{"a":' }, status: 422, loc: ["body"] },
		{ what: "a list as body", request: { body: [] }, status: 422, loc: ["body"] },
		...(operation.body.required ? [{ what: "no body", request: {}, status: 422, loc: ["body"] }] : []),
	];
	const missing = required.map((name) => ({
		what: `no member ${name}`,
		request: { body: Object.fromEntries(Object.entries(least).filter(([key]) => key !== name)) },
		status: 422,
		loc: ["body", name],
	}));
	const wrong = Object.entries(properties).flatMap(([name, schema]) =>
		wrongValues(contract.resolve(schema)).map(({ what, value }) => ({
			what: `${what} of ${name}`,
			request: { body: { ...least, [name]: value } },
			status: 422,
			loc: ["body", name],
		})),
	);
	return [...whole, ...missing, ...wrong];
}

/** Values that a member cannot have. Text that could be read as the wanted type is none of them. */
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
