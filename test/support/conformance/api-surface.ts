/** Lists what a document of an API has: its operations, the parameters of their queries, and the members of bodies and answers. */
import type { JsonSchema, OpenApiDocument, OperationObject } from "./json-schema.ts";

/** The end of an entry whose object may have any members. */
const free = ".**";

/**
 * Returns entries such as `GET /sessions/{}`, `GET /sessions ?limit` and `POST /sessions body.source.repo`; those of answers are
 * of successful ones. Names of placeholders are left out, and so is the prefix of most paths.
 */
export function surfaceOf(document: OpenApiDocument): ReadonlySet<string> {
	const surface = new Surface(document);
	for (const [path, methods] of Object.entries(document.paths))
		for (const [method, operation] of Object.entries(methods)) {
			const shown = path.replace(/^\/api\/v1\/svc/, "").replaceAll(/\{\w+\}/g, "{}");
			surface.add(`${method.toUpperCase()} ${shown}`, operation);
		}
	return surface.entries;
}

/** Returns the entries that are not among the known ones. Members of an added operation are part of it. */
export function additionsTo(known: ReadonlySet<string>, entries: ReadonlySet<string>): string[] {
	const isFree = (entry: string): boolean => {
		const parent = entry.slice(0, Math.max(0, entry.lastIndexOf(".")));
		return parent !== "" && (known.has(parent + free) || isFree(parent));
	};
	const isOfAdded = (entry: string): boolean => {
		const [operation = "", ...member] = entry.split(/(?<=^\S+ \S+) /);
		return member.length > 0 && !known.has(operation);
	};
	const isNew = (entry: string) => !known.has(entry) && !entry.endsWith(free);
	return [...entries].filter((entry) => isNew(entry) && !isFree(entry) && !isOfAdded(entry));
}

/** The entries of one document, while they are collected. */
class Surface {
	readonly entries = new Set<string>();
	readonly #document: OpenApiDocument;

	constructor(document: OpenApiDocument) {
		this.#document = document;
	}

	add(name: string, { parameters = [], requestBody, responses }: OperationObject): void {
		this.entries.add(name);
		const inQuery = parameters.map((one) => this.#resolved(one)).filter((one) => one.in === "query");
		for (const parameter of inQuery) this.entries.add(`${name} ?${parameter.name}`);
		for (const { schema } of Object.values(requestBody?.content ?? {})) this.#addMembers(schema, `${name} body`);
		const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
		for (const [, answer] of successes)
			for (const { schema } of Object.values(this.#resolved(answer).content ?? {}))
				this.#addMembers(schema, `${name} answer`);
	}

	/** @param open The references in which the schema is; one that contains itself adds nothing the second time. */
	#addMembers(schema: JsonSchema, at: string, open: readonly string[] = []): void {
		const { $ref, properties, additionalProperties: others } = schema;
		if ($ref !== undefined) {
			if (!open.includes($ref)) this.#addMembers(this.#resolved(schema), at, [...open, $ref]);
			return;
		}
		for (const inner of partsOf(schema)) this.#addMembers(inner, at, open);
		if (typeof others === "object") this.#addMembers(others, `${at}.*`, open);
		if (schema.type === "object" && !properties) this.entries.add(at + free);
		for (const [name, member] of Object.entries(properties ?? {})) {
			this.entries.add(`${at}.${name}`);
			this.#addMembers(member, `${at}.${name}`, open);
		}
	}

	/** Returns the object behind a reference, or the object itself. */
	#resolved<T extends object>(given: T): T {
		if (!("$ref" in given) || typeof given.$ref !== "string") return given;
		const parts = given.$ref.slice(2).split("/");
		return parts.reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], this.#document) as T;
	}
}

/** The schemas of the same value, and of the items of a list. */
function partsOf({ oneOf = [], allOf = [], items }: JsonSchema): JsonSchema[] {
	return [...oneOf, ...allOf, ...(items ? [items] : [])];
}
