/** Reads the launch document: one JSON document on standard input that tells the pod what to run. */
import { readBounded } from "#shared/base/bounded-read.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type LaunchDocument, launchDocumentFields } from "#shared/wire/pod/launch.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";

const maxBytes = 2_097_152;
/** The largest number of fields that an error names. */
const maxNamed = 3;

/** The launch document is invalid. The message repeats nothing of the document, which holds secrets. */
export class LaunchDocumentError extends Error {
	override readonly name = "LaunchDocumentError";
}

/** @throws {LaunchDocumentError} when the document is too long. */
export async function readLaunchText(input: AsyncIterable<Buffer>): Promise<string> {
	const tooLarge = () => new LaunchDocumentError(`Cannot use a launch document of more than ${maxBytes} bytes`);
	return (await readBounded(input, { maxBytes, tooLarge })).toString("utf8");
}

/** @throws {LaunchDocumentError} that names the first fields that break the schema. */
export function parseLaunchDocument(text: string): LaunchDocument {
	const document = parseJsonObject(text);
	if (!document) throw new LaunchDocumentError("Cannot read the launch document: it is cut off or no JSON object");
	if (isLaunchDocument(document)) return document;
	throw new LaunchDocumentError(
		`Cannot use this launch document; missing or of the wrong kind: ${listed(wrongFields(document))}`,
	);
}

const check = compileSchema(launchDocumentFields);

/** Compiles the schema in advance, which would otherwise happen with the first document. */
export function prepareCheck(): void {
	check({});
}

/** Checks the document, and removes the members that the schema does not have. */
function isLaunchDocument(document: object): document is LaunchDocument {
	return check(document).length === 0;
}

/** Returns the paths of the fields that break the schema. */
function wrongFields(document: object): string[] {
	return [...new Set(check(document).map(({ path }) => path.join(".")))];
}

function listed(fields: readonly string[]): string {
	return fields
		.slice(0, maxNamed)
		.map((field) => `"${field}"`)
		.join(", ");
}
