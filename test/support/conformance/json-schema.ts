/** The parts of JSON Schema (draft 2020-12) and OpenAPI 3.1 that the contract uses. */

export interface JsonSchema {
	$ref?: string;
	type?: string | string[];
	const?: unknown;
	enum?: unknown[];
	format?: string;
	pattern?: string;
	minLength?: number;
	maxLength?: number;
	minimum?: number;
	maximum?: number;
	minItems?: number;
	items?: JsonSchema;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	additionalProperties?: boolean | JsonSchema;
	oneOf?: JsonSchema[];
	allOf?: JsonSchema[];
	default?: unknown;
	description?: string;
}

export interface Parameter {
	name: string;
	in: "path" | "query" | "header";
	required?: boolean;
	schema: JsonSchema;
}

type Content = Record<string, { schema: JsonSchema }>;

export interface ResponseObject {
	$ref?: string;
	description?: string;
	content?: Content;
}

export interface OperationObject {
	operationId: string;
	tags: string[];
	parameters?: Parameter[];
	requestBody?: { required?: boolean; content: Content };
	responses: Record<string, ResponseObject>;
}

export interface OpenApiDocument {
	paths: Record<string, Record<string, OperationObject>>;
	components: { schemas: Record<string, JsonSchema>; responses: Record<string, ResponseObject> };
}
