/** Names what is wrong with a document of a YAML file: the line, the key and the mistake, without any value. Pure. */
import type { Schema } from "../schema/schema.ts";
import type { Failure } from "../schema/validator.ts";
import { unknownField } from "../schema/unknown-field.ts";
import type { YamlDocument } from "./yaml-text.ts";

/** The form that documents must have. */
export interface DocumentForm {
	readonly fields: Schema;
	/** Checks a value, and fills in defaults. */
	readonly check: (value: unknown) => Failure[];
	/** The kind of the documents in sentences, e.g. `templates`. */
	readonly kind: string;
}

/** Returns the place and the mistake; undefined when the document has the form. */
export function documentMistake({ value, lineOf }: YamlDocument, form: DocumentForm): string | undefined {
	const unknown = unknownField(value, form.fields);
	if (unknown !== undefined) {
		const line = lineOf(unknown.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
		return `line ${line}: "${unknown}" is not a key of ${form.kind}`;
	}
	const failure = form.check(value)[0];
	if (failure === undefined) return undefined;
	const key = failure.path.join(".");
	return `line ${lineOf(failure.path)}${key === "" ? "" : `, "${key}"`}: ${failure.message}`;
}
