/** Derives the OpenAPI 3.1 document from the contracts. */
import type { AnyAction, TextForm } from "#shared/contracts/contract.ts";
import { type Rule, type Schema } from "#shared/base/schema/schema.ts";
import { ruleToJsonSchema, toJsonSchema } from "#shared/base/schema/json-schema.ts";
import type { ActionRoute } from "./action-route.ts";
import { groupOf, introduction, tagsOf } from "./api-groups.ts";
import { descriptionOf } from "./operation-words.ts";

type Json = Record<string, unknown>;

interface ApiInfo {
	readonly title: string;
	readonly version: string;
	/** The prefix of relative paths. */
	readonly prefix: string;
}

const string = { type: "string" };

const schemas = {
	ErrorResponse: { type: "object", required: ["detail"], properties: { detail: string } },
	ValidationErrorItem: {
		type: "object",
		required: ["type", "loc", "msg"],
		properties: {
			type: string,
			loc: { type: "array", items: { type: ["string", "integer"] } },
			msg: string,
			input: {},
			ctx: { type: "object", additionalProperties: true },
		},
	},
	HTTPValidationError: {
		type: "object",
		required: ["detail"],
		properties: { detail: { type: "array", items: reference("ValidationErrorItem") } },
	},
};

const told = { "Atelier-Warnings": { $ref: "#/components/headers/Warnings" } };

/** The descriptions of failures that a contract does not describe itself. */
const failures: Readonly<Record<number, string>> = {
	400: "The request makes no sense",
	401: "Authentication required",
	403: "Not allowed",
	404: "There is no such thing for this caller",
	409: "Not in the present state",
	413: "The request body is too large",
	415: "The request body is not JSON",
	429: "Too many requests at one time",
	502: "Something behind the platform failed",
	503: "Not available at the moment",
	504: "The answer did not come in time",
};

export function openApi(routes: readonly ActionRoute[], { title, version, prefix }: ApiInfo): Json {
	const paths: Record<string, Json> = {};
	const named = new Set<string>();
	for (const route of routes) {
		const path = documentedPath(route.path, prefix);
		const { name } = route.action;
		const operationId = named.has(name) ? `${name}.${route.method.toLowerCase()}` : name;
		named.add(name);
		(paths[path] ??= {})[route.method.toLowerCase()] = { operationId, ...operation(route) };
	}
	return {
		openapi: "3.1.0",
		info: { title, version, description: introduction(prefix) },
		tags: tagsOf(routes.map(({ action }) => groupOf(action))),
		security: [{ bearerAuth: [] }],
		paths,
		components: {
			schemas,
			responses: sharedFailures(),
			headers: {
				Warnings: { description: "The parts of the request that were ignored, where there are any", schema: string },
			},
			securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
		},
	};
}

function documentedPath(path: string, prefix: string): string {
	const full = path.startsWith("//") ? path.slice(1) : prefix + path;
	return full.replaceAll(/:(\w+)/g, "{$1}");
}

function operation(route: ActionRoute): Json {
	const { action } = route;
	const fields = Object.entries(action.params);
	const inBody = fields.filter(([name]) => route.placeOf(name) === "body");
	const inUrl = fields.filter(([name]) => route.placeOf(name) !== "body");
	return {
		summary: action.summary,
		description: descriptionOf(action, route.method),
		tags: [groupOf(action)],
		...(action.access === "public" && { security: [] }),
		parameters: inUrl.map(([name, rule]) => parameter(route, name, rule)),
		...(inBody.length > 0 && { requestBody: bodyOf(action, Object.fromEntries(inBody)) }),
		responses: {
			[route.status]: success(route),
			...(action.paged &&
				route.method === "GET" && { 304: { description: "The page that `If-None-Match` names has not changed" } }),
			...failureResponses(route, inBody.length > 0),
		},
	};
}

function parameter(route: ActionRoute, name: string, rule: Rule): Json {
	const place = route.placeOf(name);
	const required = place === "path" || !(rule.optional || "default" in rule);
	return { name, in: place, required, schema: ruleToJsonSchema(rule) };
}

/** A body that arrives as it was sent has members that its sender defines. */
function bodyOf({ raw_body, example = {} }: AnyAction, fields: Schema): Json {
	if (raw_body) return { required: true, content: json({ type: "object" }) };
	const schema = toJsonSchema(fields);
	return { required: "required" in schema, content: { "application/json": { schema, example } } };
}

function success({ action: { returns, paged, wrapped, produces, text_form, warned } }: ActionRoute): Json {
	if (!returns) return { description: "Done", headers: told };
	if (produces) return succeeded({ [produces]: { schema: string } });
	if (text_form) return withText(ruleToJsonSchema(returns), text_form);
	if (warned !== undefined) return succeeded(json(ruleToJsonSchema(memberOf(returns, warned))));
	if (!paged) return succeeded(json(ruleToJsonSchema(returns)));
	const items = memberOf(returns, "items");
	const body: Rule = wrapped === undefined ? items : { type: "object", props: { [wrapped]: items } };
	const Link = { description: "The next page, with `rel=next`, where there is one", schema: string };
	return succeeded(json(ruleToJsonSchema(body)), { Link });
}

function succeeded(content: Json, headers: Json = {}): Json {
	return { description: "Success", headers: { ...told, ...headers }, content };
}

function memberOf(returns: Rule, name: string): Rule {
	const rule = returns.type === "object" ? returns.props[name] : undefined;
	if (!rule) throw new TypeError(`Cannot describe a result that has no ${name}`);
	return rule;
}

/** The JSON, which is the default, and the text that clients may ask for. */
function withText(schema: Json, { types, truncated_note }: TextForm): Json {
	const texts = types.map((type) => [type, { schema: string }]);
	const description = `In answers that are text: whether the text is incomplete; it then begins with the line "${truncated_note}"`;
	const headers = { "Atelier-Truncated": { description, schema: string } };
	return succeeded({ ...json(schema), ...Object.fromEntries(texts) }, headers);
}

function failureResponses({ action, method }: ActionRoute, takesBody: boolean): Json {
	const open = action.access === "public";
	const statuses = new Set([
		...(action.errors ?? []),
		...(open ? [] : [401, 403]),
		...(takesBody ? [413, 415] : []),
		...(method === "GET" ? [] : [429]),
		503,
		504,
	]);
	const plain = [...statuses].map((status) => [status, { $ref: `#/components/responses/${status}` }] as const);
	const invalid = Object.keys(action.params).length > 0 ? [[422, { $ref: "#/components/responses/422" }] as const] : [];
	return Object.fromEntries([...plain, ...invalid]);
}

/** Failures are the same for all operations, so the document describes each once. */
function sharedFailures(): Json {
	const invalid = { anyOf: [reference("HTTPValidationError"), reference("ErrorResponse")] };
	const unprocessable = { description: "The request does not fit the contract", content: json(invalid) };
	const plain = Object.entries(failures).map(([status, description]) => [status, failure(description)]);
	return { ...Object.fromEntries(plain), 422: unprocessable };
}

function failure(description: string): Json {
	return { description, content: json(reference("ErrorResponse")) };
}

function json(schema: Json): Json {
	return { "application/json": { schema } };
}

function reference(name: string): Json {
	return { $ref: `#/components/schemas/${name}` };
}
