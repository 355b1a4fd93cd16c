/** Patches the copy of the contract. A patch of a missing place is an error. */
import type { JsonSchema, OpenApiDocument, OperationObject, ResponseObject } from "./json-schema.ts";

export interface Patch {
	operation: string;
	contract: string;
	ours: string;
	/** Changes the document; absent when no schema can express the difference, which the scenario then shows. */
	apply?: (document: ContractEditor) => void;
}

/** The places of the document that patches change. */
export class ContractEditor {
	readonly #document: OpenApiDocument;

	constructor(document: OpenApiDocument) {
		this.#document = document;
	}

	operation(id: string): OperationObject {
		const all = Object.values(this.#document.paths).flatMap((methods) => Object.values(methods));
		return present(
			all.find(({ operationId }) => operationId === id),
			id,
		);
	}

	properties(schema: string): Record<string, JsonSchema> {
		return present(this.#document.components.schemas[schema]?.properties, schema);
	}

	sessionStatuses(): string[] {
		return (this.#document.components.schemas["SessionStatus"]?.enum ?? []).map(String);
	}

	addQuery(id: string, name: string, schema: JsonSchema): void {
		(this.operation(id).parameters ??= []).push({ name, in: "query", schema });
	}

	makeBodyOptional(id: string): void {
		present(this.operation(id).requestBody, id).required = false;
	}

	/** Adds a form of an answer. */
	addAlternative(id: string, status: string, schema: JsonSchema): void {
		const content = present(this.operation(id).responses[status]?.content?.["application/json"], `${id} ${status}`);
		content.schema = { oneOf: [...(content.schema.oneOf ?? [content.schema]), schema] };
	}

	addError(id: string, status: string, description: string): void {
		this.operation(id).responses[status] = errorAnswer(description);
	}

	/** Makes lists paged, with the answer to a cursor that is not of this platform. */
	addPages(...ids: readonly string[]): void {
		for (const id of ids) {
			this.addQuery(id, "limit", { type: "integer", minimum: 1, maximum: 500 });
			this.addQuery(id, "cursor", { type: "string" });
			this.addError(id, "400", "The cursor is not ours");
		}
	}

	/** The answer to parameters that do not fit, of operations that had none. */
	addValidation(...ids: readonly string[]): void {
		for (const id of ids) this.operation(id).responses["422"] = { $ref: "#/components/responses/ValidationFailed" };
	}

	/** The answer 422 may also be a sentence: what the request names cannot be used. */
	addRefusal(id: string): void {
		const schemas = ["HTTPValidationError", "ErrorResponse"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
		this.operation(id).responses["422"] = {
			description: "Parameters that do not fit, or that name what cannot be used",
			content: { "application/json": { schema: { oneOf: schemas } } },
		};
	}

	/** Adds a value to an enumeration. */
	addValue(schema: string, value: string): void {
		present(this.#document.components.schemas[schema]?.enum, schema).push(value);
	}

	addEvent(event: string, data: JsonSchema): void {
		const one = { type: "object", required: ["event", "data"], properties: { event: { enum: [event] }, data } };
		present(this.#document.components.schemas["SseEvent"]?.oneOf, "SseEvent").push(one);
	}
}

function errorAnswer(description: string): ResponseObject {
	return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } } };
}

function present<T>(value: T | undefined, what: string): T {
	if (value === undefined) throw new TypeError(`The contract has no "${what}"`);
	return value;
}
