/** A forge with a real OAuth provider, and the configuration that makes it an integration of a platform. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient } from "../clients/api-client.ts";
import { oauthClient, OAuthServer } from "../identity/oauth-server.ts";

/** The URL that the provider knows the platform by. Nothing listens there: tests send its redirects to the platform. */
const base = "http://127.0.0.1:4999";

/** The slug of the forge, and of another entry, for which there is no client. */
export const forge = "forge";
export const withoutClient = "no-client";

/** The differences of one forge. */
export interface ForgeOptions {
	/** The life of access tokens in seconds; default 300. */
	readonly seconds?: number;
	/** Further members of the definition. */
	readonly definition?: Readonly<Record<string, unknown>>;
}

export class OAuthForge implements AsyncDisposable {
	readonly server: OAuthServer;
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-forge-"));

	private constructor(server: OAuthServer, more: ForgeOptions["definition"]) {
		this.server = server;
		for (const slug of [forge, withoutClient]) {
			const definition = {
				slug,
				name: `~${slug}`,
				integration_type: "code_forge",
				auth_type: "oauth2_authorization_code",
				credential_schema: { properties: { token: {} } },
				oauth: { ...server.definition, token_field_mapping: { token: "access_token" } },
				...(slug === forge && more),
			};
			writeFileSync(join(this.#folder, `${slug}.yaml`), JSON.stringify(definition));
		}
	}

	static async open({ seconds, definition }: ForgeOptions = {}): Promise<OAuthForge> {
		const redirectUri = `${base}/api/v1/svc/integrations/oauth/callback`;
		const server = await OAuthServer.listen({ redirectUri, ...(seconds !== undefined && { seconds }) });
		return new OAuthForge(server, definition);
	}

	/** The configuration of a platform. */
	get config() {
		return {
			integrations: { folder: this.#folder },
			oauth: { redirect_base_url: base, clients: { [forge]: oauthClient } },
		};
	}

	/** Begins a login of the platform and approves it; returns the parameters of the redirect. */
	async approved(api: ApiClient, name: string): Promise<Record<string, string>> {
		const { body, text } = await api.get<{ url?: string }>(`/integrations/oauth/${forge}/authorize`);
		if (body.url === undefined) throw new Error(`No login was begun: ${text}`);
		return Object.fromEntries((await this.server.approve(body.url, name)).searchParams);
	}

	/** Connects a person. @throws {Error} when the platform does not say so. */
	async connect(api: ApiClient, name: string): Promise<void> {
		const query = await this.approved(api, name);
		const { status, text } = await api.get("/integrations/oauth/callback", { query });
		if (status !== 200 || !text.includes("is connected")) throw new Error(`Not connected: ${status} ${text}`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		rmSync(this.#folder, { recursive: true });
		await this.server[Symbol.asyncDispose]();
	}
}
