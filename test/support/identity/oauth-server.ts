/**
 * A real OAuth provider in this process, as integrations have one: authorization code with PKCE, refresh tokens that are
 * replaced with each use, revocation. A test may answer in its place.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { exportJWK, type JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";
import { walkLogin } from "./login-walk.ts";
import { signingKey } from "./signing-keys.ts";
import { closeAtOnce, loopbackUrl } from "../machine/loopback-server.ts";

/** The platform's registration. */
export const oauthClient = { client_id: "atelier", client_secret: "s3cret with a blank & more" } as const;

/** How the server is made. */
export interface OAuthServerOptions {
	/** The only address to which browsers are redirected. */
	readonly redirectUri: string;
	/** The life of access tokens in seconds; default 300. */
	readonly seconds?: number;
	readonly authMethod?: "client_secret_post" | "client_secret_basic";
}

/** Answers a request in place of the provider. */
export type Instead = (request: IncomingMessage, response: ServerResponse) => void;

export class OAuthServer implements AsyncDisposable {
	readonly url: string;
	/** The paths of all requests for tokens and their revocation, in order. */
	readonly asked: string[] = [];
	/** The answer to requests for tokens; undefined: that of the provider. */
	instead: Instead | undefined;
	readonly #server: Server;
	readonly #redirectUri: string;

	private constructor(server: Server, redirectUri: string) {
		this.#server = server;
		this.#redirectUri = redirectUri;
		this.url = loopbackUrl(server);
	}

	static async listen(options: OAuthServerOptions): Promise<OAuthServer> {
		const server = createServer().listen(0, "127.0.0.1");
		await once(server, "listening");
		const opened = new OAuthServer(server, options.redirectUri);
		const key = await signingKey("RS256", "first");
		const jwk = { ...(await exportJWK(key.privateKey)), use: "sig", alg: key.alg, kid: key.kid };
		const handle = new Provider(opened.url, configurationOf(options, jwk)).callback();
		server.on("request", (request, response) => {
			const { url = "" } = request;
			if (url.startsWith("/token")) opened.asked.push(url);
			if (url === "/token" && opened.instead) opened.instead(request, response);
			else void handle(request, response);
		});
		return opened;
	}

	/** The member `oauth` of an integration's definition. */
	get definition() {
		return {
			authorize_url: `${this.url}/auth`,
			token_url: `${this.url}/token`,
			revoke_url: `${this.url}/token/revocation`,
			scopes: ["openid", "offline_access"],
			// The provider gives a refresh token only after it has asked.
			extra_authorize_params: { prompt: "consent" },
			issuer: this.url,
		};
	}

	/** Logs somebody in and agrees, beginning at the URL of the platform; returns the address of the redirect. */
	approve(url: string, name: string): Promise<URL> {
		return walkLogin(new URL(url), name, this.#redirectUri);
	}

	/** Returns the person of a token; undefined when the token is not valid any more. */
	async personOf(token: string): Promise<string | undefined> {
		const answer = await fetch(`${this.url}/me`, { headers: { authorization: `Bearer ${token}` } });
		const { sub } = (await answer.json()) as { sub?: string };
		return answer.ok ? sub : undefined;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}
}

function configurationOf({ redirectUri, seconds = 300, authMethod }: OAuthServerOptions, jwk: JWK): Configuration {
	return {
		jwks: { keys: [{ ...jwk, kty: jwk.kty ?? "" }] } as NonNullable<Configuration["jwks"]>,
		clients: [
			{
				...oauthClient,
				token_endpoint_auth_method: authMethod ?? "client_secret_post",
				application_type: "native",
				redirect_uris: [redirectUri],
				grant_types: ["authorization_code", "refresh_token"],
				response_types: ["code"],
			},
		],
		features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
		pkce: { required: () => true },
		rotateRefreshToken: true,
		ttl: { AccessToken: seconds },
		findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
		scopes: ["openid", "offline_access"],
		cookies: { keys: ["only for tests"] },
	};
}
