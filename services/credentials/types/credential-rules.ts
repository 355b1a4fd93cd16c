/** The rules for new credentials: the fields of each type and the form of their values. Pure. */
import type { CredentialCreate } from "#shared/contracts/credentials/credentials.ts";
import type { SecretType } from "#shared/contracts/credentials/secret-types.ts";
import { BadRequestError, UnprocessableError } from "#shared/base/errors.ts";
import { gitCredentialUrl } from "./git-credential-url.ts";
import { variableErrors } from "./credential-variables.ts";
import { readSecretType, secretTypeTable } from "./secret-type-table.ts";

const maxFields = 50;
const fieldForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
/** Stores in vaults keep there what is known about a credential (contract, behaviour 9.1). */
const reservedField = "__meta__";

interface CheckedCredential {
	readonly name: string;
	readonly secret_type: SecretType;
	readonly data: Readonly<Record<string, string>>;
	readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Returns the credential.
 * @param protocols The protocols of repositories that this installation allows.
 * @param isTenants Whether it is a credential of the tenant, which other people's sessions name.
 * @throws {BadRequestError} for an unknown type; {UnprocessableError} with the list of what is wrong with its fields.
 * None has a value.
 */
export function checkedCredential(
	request: CredentialCreate,
	protocols: readonly string[],
	isTenants = false,
): CheckedCredential {
	const { name, data, metadata } = request;
	const secret_type = readSecretType(request.secret_type);
	if (!secret_type)
		throw new BadRequestError(
			`Unknown secret_type "${request.secret_type}"; allowed: ${Object.keys(secretTypeTable).join(", ")}`,
			"SECRET_TYPE",
		);
	const errors = [
		...fieldErrors(data),
		...missingFields(secret_type, data),
		...formErrors(secret_type, data, protocols),
		...variableErrors({ name, secret_type, fields: Object.keys(data) }, isTenants).slice(0, maxFields),
	];
	if (errors.length > 0) throw new UnprocessableError("The credential is not valid", "CREDENTIAL_INVALID", errors);
	return { name, secret_type, data, metadata: metadata ?? {} };
}

function fieldErrors(data: Readonly<Record<string, string>>): string[] {
	const fields = Object.entries(data);
	const none = fields.length === 0 ? ["At least one field is required"] : [];
	const many = fields.length > maxFields ? [`A credential has at most ${maxFields} fields`] : [];
	const names = fields
		.filter(([name]) => !fieldForm.test(name))
		.map(([name]) => `Field "${name.slice(0, 100)}" should have letters, digits, "_", "-" and "." only`);
	const values = fields
		.filter(([, value]) => value.includes("\0"))
		.map(([name]) => `Field "${name.slice(0, 100)}" must not contain a NUL character`);
	const reserved = Object.hasOwn(data, reservedField) ? [`No field may be called "${reservedField}"`] : [];
	return [...none, ...many, ...reserved, ...names.slice(0, maxFields), ...values.slice(0, maxFields)];
}

function missingFields(type: SecretType, data: Readonly<Record<string, string>>): string[] {
	if (type === "api_key") return Object.values(data).some((value) => value !== "") ? [] : ["A key is required"];
	return secretTypeTable[type].fields
		.filter(({ key, required }) => required && !(Object.hasOwn(data, key) && data[key] !== ""))
		.map(({ key }) => `Field "${key}" is required for ${type}`);
}

function formErrors(type: SecretType, data: Readonly<Record<string, string>>, protocols: readonly string[]): string[] {
	const { url } = data;
	if (type !== "git_credential" || !url) return [];
	const read = gitCredentialUrl(url, protocols);
	return "refused" in read ? [read.refused] : [];
}
