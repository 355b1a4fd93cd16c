/** Names what is wrong with a document of a YAML file: the lines, the keys and the mistakes, without any value. Pure. */
import type { Schema } from "../schema/schema.ts";
import type { Failure } from "../schema/validator.ts";
import { unknownFields } from "../schema/unknown-fields.ts";
import type { YamlDocument } from "./yaml-text.ts";

export interface DocumentForm {
	readonly fields: Schema;
	/** Checks a value, and fills in defaults. */
	readonly check: (value: unknown) => Failure[];
	/** The kind of the documents in sentences, e.g. `templates`. */
	readonly kind: string;
	/** Returns the mistakes of a value of this form that the schema cannot express. */
	readonly rules?: (value: unknown) => readonly Mistake[];
}

export interface Mistake {
	readonly path: readonly (string | number)[];
	readonly message: string;
}

/** The most mistakes of one sentence. */
const maxTold = 10;

/** Returns the places and the mistakes in one sentence; undefined when the document has the form. */
export function documentMistakes({ value, lineOf }: YamlDocument, form: DocumentForm): string | undefined {
	const unknown = unknownFields(value, form.fields).map((path) => {
		return `line ${lineOf(path)}: "${path.join(".")}" is not a key of ${form.kind}`;
	});
	const placed = ({ path, message }: Mistake): string => {
		return `line ${lineOf(path)}${path.length === 0 ? "" : `, "${path.join(".")}"`}: ${message}`;
	};
	const misshapen = [...unknown, ...form.check(value).map(placed)];
	const all = misshapen.length > 0 ? misshapen : (form.rules?.(value) ?? []).map(placed);
	const more = all.length > maxTold ? [`and ${all.length - maxTold} more`] : [];
	return all.length === 0 ? undefined : [...all.slice(0, maxTold), ...more].join("; ");
}
