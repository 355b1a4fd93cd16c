/** Connects people of a test platform to a fake Linear: the built-in definition has no setting for its address. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient } from "../../clients/api-client.ts";

const definition = {
	slug: "linear",
	name: "Linear",
	integration_type: "issue_tracker",
	adapter: "linear",
	credential_schema: { required: ["api_key"], properties: { api_key: { label: "API key", type: "password" } } },
	config_schema: { required: [], properties: { api_url: { label: "URL", type: "url" } } },
};

/** A folder of definitions, and the configuration that makes a platform use it. */
export interface LinearDefinition {
	/** The folder; the test removes it. */
	readonly folder: string;
	readonly config: object;
}

/** Makes the folder. @param urls Addresses of fakes that people may connect to. */
export function linearDefinition(urls: readonly string[]): LinearDefinition {
	const folder = mkdtempSync(join(tmpdir(), "atelier-definitions-"));
	writeFileSync(join(folder, "linear.yaml"), JSON.stringify(definition));
	const allow = urls.map((url) => new URL(url).origin);
	return { folder, config: { integrations: { folder }, outbound: { allow } } };
}

/** Connects a person; resolves to the id of the connection. */
export async function connectLinear(api: ApiClient, api_url: string, api_key: string): Promise<string> {
	const name = `linear-${Math.random().toString(36).slice(2, 10)}`;
	const stored = await api.post("/credentials", { name, data: { api_key } });
	if (stored.status !== 201) throw new Error(`The credential was not stored: ${stored.text}`);
	const body = { integration_type: "issue_tracker", slug: "linear", credential_name: name, config: { api_url } };
	const connected = await api.post<{ id: string }>("/integrations", body);
	if (connected.status !== 201) throw new Error(`The connection was not made: ${connected.text}`);
	return connected.body.id;
}
