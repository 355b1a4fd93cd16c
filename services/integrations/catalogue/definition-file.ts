/** Reads the integration definition of one file. Its faults name the file, the line and the key. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { placedYamlDocuments } from "#shared/base/yaml/yaml-text.ts";
import { definitionFields, type IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import { isSettable } from "#shared/wire/pod/variable-name.ts";
import { secretTarget } from "#shared/wire/pod/secret-target.ts";
import { documentMistakes, type Mistake } from "#shared/base/yaml/document-mistakes.ts";

/** A definition, or the sentence that says why there is none. */
export type ReadDefinition = { readonly definition: IntegrationDefinition } | { readonly fault: string };

const form = {
	fields: definitionFields,
	check: compileSchema(definitionFields),
	kind: "integration definitions",
	rules: (value: unknown) => rulesBroken(value as IntegrationDefinition),
};

/** The form of adapters: a short name, or a module and its class as the configuration names them. */
const adapterForm = /^([a-z0-9][a-z0-9-]*|[\w./-]+\.ts#\w+)?$/;

export function definitionIn(file: string, text: string): ReadDefinition {
	try {
		const documents = placedYamlDocuments(text);
		const [document, ...more] = documents;
		if (!document || more.length > 0) return faultOf(file, "one document is needed");
		const mistake = documentMistakes(document, form);
		return mistake === undefined ? { definition: document.value as IntegrationDefinition } : faultOf(file, mistake);
	} catch (error) {
		return faultOf(file, error instanceof Error ? error.message : String(error));
	}
}

/** Makes a fault. @param mistake The place and the mistake. */
export function faultOf(file: string, mistake: string): { readonly fault: string } {
	return { fault: `Integration file "${file}": ${mistake}` };
}

/** Returns the mistakes that the schema cannot express. */
function rulesBroken(definition: IntegrationDefinition): Mistake[] {
	const { adapter, env_from_credentials, file_mounts, mcp_server } = definition;
	return [
		...(adapterForm.test(adapter) ? [] : [{ path: ["adapter"], message: "neither a short name nor a module#Class" }]),
		...variablesBroken(["env_from_credentials"], env_from_credentials),
		...variablesBroken(["mcp_server", "env_from_credentials"], mcp_server?.env_from_credentials ?? {}),
		...Object.keys(file_mounts)
			.filter((target) => secretTarget(target) === undefined)
			.map((target) => ({ path: ["file_mounts", target], message: "no file of a session may be there" })),
		...addressesBroken(definition),
		...fieldsUnknown(definition),
	];
}

function addressesBroken({ check, git_credential, oauth }: IntegrationDefinition): Mistake[] {
	const urls: [path: string[], url: string | undefined][] = [
		[["check", "url"], check?.url],
		[["git_credential", "url"], git_credential?.url],
		[["oauth", "authorize_url"], oauth?.authorize_url],
		[["oauth", "token_url"], oauth?.token_url],
		[["oauth", "revoke_url"], oauth?.revoke_url],
	];
	const broken = urls
		.filter(([, url]) => url !== undefined && url !== "" && !isWeb(url))
		.map(([path]) => ({ path, message: "no http or https URL" }));
	// A path without the slash would become a part of the host, which then gets the credential.
	if (check && !check.path.startsWith("/")) broken.push({ path: ["check", "path"], message: 'it must begin with "/"' });
	return broken;
}

function variablesBroken(above: string[], variables: Readonly<Record<string, string>>): Mistake[] {
	return Object.keys(variables)
		.filter((name) => !isSettable(name, ""))
		.map((name) => ({ path: [...above, name], message: "this variable may not be set" }));
}

/** Returns where the definition speaks of fields that its credential does not have. */
function fieldsUnknown(definition: IntegrationDefinition): Mistake[] {
	const { credential_schema, env_from_credentials, file_mounts, mcp_server, git_credential, config_schema } =
		definition;
	const uses = [
		...Object.entries(env_from_credentials).map(([key, field]) => ({ path: ["env_from_credentials", key], field })),
		...Object.entries(file_mounts).map(([key, field]) => ({ path: ["file_mounts", key], field })),
		...Object.entries(mcp_server?.env_from_credentials ?? {}).map(([key, field]) => ({
			path: ["mcp_server", "env_from_credentials", key],
			field,
		})),
		...(git_credential ? [{ path: ["git_credential", "field"], field: git_credential.field }] : []),
		...credential_schema.required.map((field, index) => ({ path: ["credential_schema", "required", index], field })),
	];
	const settings = config_schema?.properties ?? {};
	const keys = (config_schema?.required ?? []).map((key, index) => ({
		path: ["config_schema", "required", index],
		key,
	}));
	return [
		...uses
			.filter(({ field }) => !Object.hasOwn(credential_schema.properties, field))
			.map(({ path, field }) => ({ path, message: `the credential has no field "${field}"` })),
		...keys
			.filter(({ key }) => !Object.hasOwn(settings, key))
			.map(({ path, key }) => ({ path, message: `there is no setting "${key}"` })),
	];
}

function isWeb(text: string): boolean {
	return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
