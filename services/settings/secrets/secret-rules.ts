/** The rules for names and keys of secrets. Pure. */
import type { Failure } from "#shared/base/schema/validator.ts";
import { BadRequestError, InvalidParametersError } from "#shared/base/errors.ts";
import type { NewSecret } from "./secret-store.ts";

/** A label of RFC 1123: lower-case letters and digits, with hyphens between them. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const keyForm = /^[-._a-zA-Z0-9]{1,253}$/;

/**
 * Refuses a secret that breaks a rule.
 * @throws {BadRequestError} for its name; {InvalidParametersError} for its keys. Neither sentence has a value.
 */
export function refuseInvalid({ name, data }: NewSecret): void {
	if (!name.split(".").every((part) => label.test(part)))
		throw new BadRequestError(
			`Secret name "${name}" is not valid: it has lower-case letters, digits, "-" and ".", and begins and ends with a letter or a digit`,
			"SECRET_NAME",
		);
	const keys = Object.keys(data);
	const failures: Failure[] = keys
		.filter((key) => !keyForm.test(key))
		.map((key) => ({ type: "secretKey", path: ["data"], message: `Key "${key}" should match ${keyForm.source}` }));
	if (keys.length === 0) failures.push({ type: "secretEmpty", path: ["data"], message: "There should be a value" });
	if (failures.length > 0) throw new InvalidParametersError(failures);
}
