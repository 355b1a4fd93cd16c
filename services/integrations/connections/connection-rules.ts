/** The rules of connections: what the definition allows, and what its settings may be. Pure. */
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import type { ConnectionCreate } from "#shared/contracts/integrations/integrations.ts";
import { InvalidParametersError, ServiceError } from "#shared/base/errors.ts";

/** Refuses a URL that the platform must not request. @throws {UnprocessableError} */
export type CheckUrl = (url: string) => void;

const control = /\p{Cc}/u;

/** Returns the error for a request that no entry of the catalogue fits. */
export function unknownDefinition({ slug, integration_type }: ConnectionCreate): InvalidParametersError {
	const sentence =
		slug === ""
			? `The type "${cut(integration_type)}" has no entry in the catalogue, or several: name the slug of one`
			: `The catalogue has no entry "${cut(slug)}"`;
	return refused("slug", sentence);
}

/** Refuses a request that contradicts the entry it names: users choose no code. @throws {InvalidParametersError} */
export function refuseOther(definition: IntegrationDefinition, { integration_type, adapter }: ConnectionCreate): void {
	const { slug } = definition;
	if (integration_type !== definition.integration_type)
		throw refused(
			"integration_type",
			`"${slug}" is of the type "${definition.integration_type}", and not "${cut(integration_type)}"`,
		);
	if (adapter !== "" && adapter !== definition.adapter)
		throw refused("adapter", `The adapter of "${slug}" is "${definition.adapter}": leave "adapter" out`);
}

/** Refuses settings that the definition does not have, or that lack something. @throws {InvalidParametersError} */
export function refuseSettings(
	{ slug, config_schema = { required: [], properties: {} } }: IntegrationDefinition,
	config: Readonly<Record<string, string>>,
	checkUrl: CheckUrl,
): void {
	const { required, properties } = config_schema;
	const missing = required.find((key) => !Object.hasOwn(config, key) || config[key] === "");
	if (missing !== undefined) throw refused("config", `"${slug}" needs the setting "${missing}"`);
	for (const [key, value] of Object.entries(config)) {
		const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
		if (!field) {
			const known = Object.keys(properties).join(", ") || "none";
			throw refused("config", `"${slug}" has no setting "${cut(key)}"; it has: ${known}`);
		}
		if (control.test(value)) throw refused("config", `The setting "${key}" has a control character`);
		if (field.type === "url" && value !== "") refuseUrl(key, value, checkUrl);
	}
}

function refuseUrl(key: string, url: string, check: CheckUrl): void {
	try {
		check(url);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		throw refused("config", `The setting "${key}": ${error.message}`);
	}
}

/** Returns the fields that the definition needs and the credential does not have. */
export function missingFields(
	{ credential_schema: { required } }: IntegrationDefinition,
	values: Readonly<Record<string, string>>,
): string[] {
	return required.filter((field) => !Object.hasOwn(values, field) || values[field] === "");
}

/** @param member The member of the request. */
function refused(member: string, message: string): InvalidParametersError {
	return new InvalidParametersError([{ type: "integration", path: [member], message }]);
}

function cut(text: string): string {
	return text.slice(0, 100);
}
