/** One pass over a login at a real provider: begun, ended, undone. */
import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oauthClient, OAuthServer } from "../../identity/oauth-server.ts";
import type { Walker } from "../walker.ts";

const base = "http://127.0.0.1:4999";
const slug = "forge";

/** The entries that this walk adds to the catalogue. */
export const loginEntries = [
	[slug, "code_forge"],
	["no-client", "code_forge"],
] as const;

interface ConnectionView {
	slug: string;
	credential_name: string;
	enabled: boolean;
}

/** A provider, and the configuration with an integration for it and one without a client. */
export class WalkedLogin implements AsyncDisposable {
	readonly #server: OAuthServer;
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-login-"));

	private constructor(server: OAuthServer) {
		this.#server = server;
		for (const [name, integration_type] of loginEntries) {
			const definition = {
				slug: name,
				// The walk over the catalogue expects them after the built-in ones.
				name: `~${name}`,
				integration_type,
				auth_type: "oauth2_authorization_code",
				credential_schema: { properties: { token: {} } },
				oauth: { ...server.definition, token_field_mapping: { token: "access_token" } },
			};
			writeFileSync(join(this.#folder, `${name}.yaml`), JSON.stringify(definition));
		}
	}

	static async start(): Promise<WalkedLogin> {
		const redirectUri = `${base}/api/v1/svc/integrations/oauth/callback`;
		return new WalkedLogin(await OAuthServer.listen({ redirectUri }));
	}

	get config(): object {
		return {
			integrations: { folder: this.#folder },
			oauth: { redirect_base_url: base, clients: { [slug]: oauthClient } },
		};
	}

	async walk(walker: Walker): Promise<void> {
		await walker.call("oauthAuthorize", 400, { path: { slug: "no-client" } });
		const { url } = await walker.call<{ url: string }>("oauthAuthorize", 200, { path: { slug } });
		const back = await this.#server.approve(url, "ada");
		const query = Object.fromEntries(back.searchParams);
		const { text } = await walker.answer("oauthCallback", 200, { query });
		expect(text).to.contain("is connected");
		await walker.call("oauthCallback", 400, { query });
		const [connection] = await walker.call<ConnectionView[]>("listIntegrations", 200);
		expect(connection).to.include({ slug, credential_name: `${slug}-oauth-token`, enabled: true });
		await walker.call("getCredential", 200, { path: { name: `${slug}-oauth-token` } });
		await walker.call("oauthDisconnect", 204, { path: { slug } });
		await walker.call("oauthDisconnect", 404, { path: { slug } });
		expect(await walker.call("listIntegrations", 200)).to.deep.equal([]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		rmSync(this.#folder, { recursive: true });
		await this.#server[Symbol.asyncDispose]();
	}
}
