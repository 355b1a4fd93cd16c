/**
 * The contract as the tests apply it: the document of test/contract with patches, and without additional members in
 * answers.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { ContractEditor, type Patch } from "./contract-editor.ts";
import type { JsonSchema, OpenApiDocument, OperationObject, Parameter, ResponseObject } from "./json-schema.ts";
import { patches } from "./patches.ts";

export interface Operation {
	id: string;
	area: string;
	method: string;
	/** The path with placeholders, e.g. `/api/v1/svc/sessions/{session_id}`. */
	path: string;
	parameters: Parameter[];
	body?: { required: boolean; schema: JsonSchema };
	/** Whether the operation answers with an endless stream of events. */
	isStream: boolean;
}

export interface ReceivedAnswer {
	status: number;
	contentType: string;
	body: unknown;
}

/** Returns the document of the contract with some differences. */
export function contractDocument(differences: readonly Patch[]): OpenApiDocument {
	const document: OpenApiDocument = parse(readFileSync(join(projectRoot, "test/contract/openapi.yaml"), "utf8"));
	for (const { apply } of differences) apply?.(new ContractEditor(document));
	return document;
}

export class WireContract {
	readonly operations: readonly Operation[];
	readonly #document: OpenApiDocument;
	readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

	constructor() {
		const document = contractDocument(patches);
		this.#document = document;
		this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, operation]) => operationOf(method, path, operation)),
		);
		const components = structuredClone(document.components);
		for (const schema of Object.values(components.schemas)) close(schema);
		addFormats.default(this.#ajv);
		this.#ajv.addSchema({ $id: "contract", components });
	}

	/** Returns an operation. @throws {TypeError} when there is none with this id. */
	operation(id: string): Operation {
		const operation = this.operations.find((one) => one.id === id);
		if (!operation) throw new TypeError(`The contract has no operation "${id}"`);
		return operation;
	}

	/** Returns the schema behind a reference, or the schema itself; resolves one level. */
	resolve(schema: JsonSchema): JsonSchema {
		const target = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
		if (target === undefined) return schema;
		return this.#document.components.schemas[target.split("/").at(-1) ?? ""] ?? {};
	}

	/** Whether the contract describes an answer with this status. */
	knowsStatus(operation: Operation, status: number): boolean {
		return this.#response(operation, status) !== undefined;
	}

	/** Returns sentences about violations in an answer; empty when it fits the contract. */
	faults(id: string, { status, contentType, body }: ReceivedAnswer): string[] {
		const operation = this.operation(id);
		const response = this.#response(operation, status);
		if (!response) return [`${id}: the contract knows no answer ${status} (${JSON.stringify(body)})`];
		const [expected] = Object.entries(response.content ?? {});
		if (!expected) return body === undefined ? [] : [`${id} ${status}: a body where there is none`];
		const [mediaType, { schema }] = expected;
		if (contentType.split(";")[0] !== mediaType) return [`${id} ${status}: "${contentType}" instead of "${mediaType}"`];
		return this.schemaFaults(schema, body).map((fault) => `${id} ${status}: ${fault}`);
	}

	/** Returns sentences about violations in a value. */
	schemaFaults(schema: JsonSchema, value: unknown): string[] {
		const check = this.#compile(schema);
		if (check(value)) return [];
		return (check.errors ?? []).map(
			({ instancePath, message = "", params }) => `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
		);
	}

	readonly #compiled = new Map<string, ValidateFunction>();

	#compile(schema: JsonSchema): ValidateFunction {
		const text = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
		const known = this.#compiled.get(text);
		if (known) return known;
		const rooted: JsonSchema = JSON.parse(text);
		close(rooted);
		const check = this.#ajv.compile(rooted);
		this.#compiled.set(text, check);
		return check;
	}

	#response({ path, method }: Operation, status: number): ResponseObject | undefined {
		const response = this.#document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
		if (response?.$ref === undefined) return response;
		return this.#document.components.responses[response.$ref.split("/").at(-1) ?? ""];
	}
}

function operationOf(method: string, path: string, operation: OperationObject): Operation {
	const { operationId: id, tags, parameters = [], requestBody, responses } = operation;
	const schema = requestBody?.content["application/json"]?.schema;
	return {
		id,
		area: tags.join(),
		method: method.toUpperCase(),
		path,
		parameters,
		...(schema && { body: { required: requestBody?.required === true, schema } }),
		isStream: "text/event-stream" in (responses["200"]?.content ?? {}),
	};
}

/** Forbids members that the contract does not name, unless the contract allows others. */
function close(schema: JsonSchema): void {
	const inner = [
		schema.items,
		...(schema.oneOf ?? []),
		...(schema.allOf ?? []),
		...Object.values(schema.properties ?? {}),
	];
	for (const one of inner) if (one) close(one);
	if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
}
