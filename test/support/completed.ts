/** Fills in the defaults of a contract's values, as services get them. */
import { type Check, compileSchema } from "#shared/base/schema/validator.ts";
import type { Output, Schema } from "#shared/base/schema/schema.ts";

/** The compiled checks, because compiling a schema takes longer than most tests. */
const checks = new WeakMap<Schema, Check>();

/** Returns the completed value. @throws {Error} when the value violates the contract. */
export function completed<S extends Schema>(fields: S, value: object): Output<S> {
	const copy: object = structuredClone(value);
	const check = checks.get(fields) ?? compileSchema(fields);
	checks.set(fields, check);
	const failures = check(copy);
	if (failures.length > 0) throw new Error(`The value breaks the contract: ${JSON.stringify(failures)}`);
	return copy as Output<S>;
}
