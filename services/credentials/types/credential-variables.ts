/** The names of the variables that a credential becomes. Pure. */
import { isRefusedName } from "#shared/wire/pod/variable-name.ts";
import type { SecretType } from "#shared/contracts/credentials/secret-types.ts";
import { secretTypeTable } from "./secret-type-table.ts";

/** A form and not a list of refused names, which could not be complete: `<NAME>_<FIELD>` is then a value and no setting. */
const foreignField =
	/^(?:(?:[a-z0-9]+[_.-])*(?:token|key|secret|password|passphrase|id)|user|username|login|email|account|region|port|database)$/i;

/** Returns the variable that has the name of a credential. */
export function variableName(text: string): string {
	return text.toUpperCase().replaceAll(/[-.]/g, "_");
}

/** Returns the variable of one of several fields. */
export function fieldVariable(name: string, field: string): string {
	return variableName(`${name}_${field}`);
}

/** Whether a field is written like a variable. */
export function isVariableForm(field: string): boolean {
	return /^[A-Z][A-Z0-9_]*$/.test(field);
}

/** Whether a field, one of several, of a credential of the tenant becomes a variable in the sessions of its people. */
export function isForeignField(field: string): boolean {
	return foreignField.test(field);
}

interface NamedFields {
	readonly name: string;
	readonly secret_type: SecretType;
	readonly fields: readonly string[];
}

function fieldsInVariables({ secret_type, fields }: NamedFields): readonly string[] {
	const { default_mount_type, withheld } = secretTypeTable[secret_type];
	return default_mount_type === "env" ? fields.filter((field) => !withheld.includes(field)) : [];
}

/** Returns what is wrong with fields that no launch would set as variables; no value is repeated. */
export function variableErrors(credential: NamedFields, isForeign: boolean): string[] {
	const { name, fields } = credential;
	const isOnly = fields.length === 1;
	return fieldsInVariables(credential).flatMap((field) => {
		const variable = isOnly ? variableName(name) : fieldVariable(name, field);
		if (isForeign && !isOnly && !isForeignField(field)) return [];
		const refused = [variable, ...(isForeign || !isVariableForm(field) ? [] : [field])].find(isRefusedName);
		return refused === undefined ? [] : [`Field "${shown(field)}" cannot become the variable "${shown(refused)}"`];
	});
}

/** Returns a sentence for each field of a tenant's credential that becomes no variable in the sessions of its people. */
export function foreignWarnings(credential: NamedFields): string[] {
	const { name, fields } = credential;
	if (fields.length === 1) return [];
	const left = fieldsInVariables(credential).filter((field) => !isForeignField(field));
	return left.map((field) => foreignWarning(field, fieldVariable(name, field)));
}

function foreignWarning(field: string, variable: string): string {
	return `Field "${shown(field)}" of a tenant's credential does not become the variable "${shown(variable)}": one of several fields should end with token, key, secret, password, passphrase or id, or be user, username, login, email, account, region, port or database; another value is a credential of its own, whose name is its variable`;
}

function shown(text: string): string {
	return text.slice(0, 100);
}
