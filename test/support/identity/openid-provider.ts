/**
 * A real OpenID provider in this process: people log in by authorization code and PKCE, as with a browser, and get an
 * access token for the platform's audience and an ID token. Its signing keys can be replaced while it runs.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { exportJWK, type JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";
import { walkLogin } from "./login-walk.ts";
import { type PublicAlg, signingKey, type SigningKey } from "./signing-keys.ts";
import { closeAtOnce, loopbackUrl } from "../machine/loopback-server.ts";

/** The tokens of one login. */
export interface Login {
	readonly accessToken: string;
	readonly idToken: string;
}

/** The claims of a person beside the subject. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const redirect = "http://127.0.0.1/back";
export class OpenIdProvider implements AsyncDisposable {
	readonly issuer: string;
	/** How often the key set was read. */
	keyReads = 0;
	/** The key that signs now. */
	key: SigningKey;
	readonly #server: Server;
	readonly #people: People;

	private constructor(server: Server, people: People, key: SigningKey) {
		this.#server = server;
		this.#people = people;
		this.key = key;
		this.issuer = loopbackUrl(server);
	}

	static async listen(people: People, alg: PublicAlg = "RS256"): Promise<OpenIdProvider> {
		const server = createServer().listen(0, "127.0.0.1");
		await once(server, "listening");
		const opened = new OpenIdProvider(server, people, await signingKey(alg, "first"));
		await opened.useKey(opened.key);
		return opened;
	}

	/** Signs with this key from now on; the former one is withdrawn. */
	async useKey(key: SigningKey): Promise<void> {
		this.key = key;
		const jwk: JWK = { ...(await exportJWK(key.privateKey)), use: "sig", alg: key.alg, kid: key.kid };
		const handle = new Provider(this.issuer, this.#configuration(jwk, key.alg)).callback();
		this.#server.removeAllListeners("request");
		this.#server.on("request", (request, response) => {
			if (request.url === "/jwks") this.keyReads++;
			void handle(request, response);
		});
	}

	/** Logs somebody in. @param audience The audience that the client asks for. */
	async login(name: string, audience = "atelier"): Promise<Login> {
		const verifier = randomBytes(32).toString("base64url");
		const query = new URLSearchParams({
			client_id: "web",
			response_type: "code",
			redirect_uri: redirect,
			scope: "openid email api",
			resource: `urn:${audience}`,
			code_challenge: createHash("sha256").update(verifier).digest("base64url"),
			code_challenge_method: "S256",
		});
		const back = await walkLogin(new URL(`${this.issuer}/auth?${query}`), name, redirect);
		const code = back.searchParams.get("code") ?? "";
		const grant = { grant_type: "authorization_code", code, redirect_uri: redirect, client_id: "web" };
		const body = new URLSearchParams({ ...grant, code_verifier: verifier, resource: `urn:${audience}` });
		const answer = await fetch(`${this.issuer}/token`, { method: "POST", body });
		const tokens = (await answer.json()) as { access_token?: string; id_token?: string };
		const { access_token: accessToken, id_token: idToken } = tokens;
		if (accessToken === undefined || idToken === undefined) throw new Error(`No login: ${JSON.stringify(tokens)}`);
		return { accessToken, idToken };
	}

	#configuration(jwk: JWK, alg: PublicAlg): Configuration {
		const ofApi = (audience: string) => ({
			scope: "api",
			audience,
			accessTokenFormat: "jwt" as const,
			accessTokenTTL: 300,
			jwt: { sign: { alg } },
		});
		return {
			jwks: { keys: [{ ...jwk, kty: jwk.kty ?? "" }] } as NonNullable<Configuration["jwks"]>,
			clients: [
				{
					client_id: "web",
					token_endpoint_auth_method: "none",
					application_type: "native",
					redirect_uris: [redirect],
					grant_types: ["authorization_code"],
					response_types: ["code"],
					id_token_signed_response_alg: alg,
				},
			],
			features: {
				devInteractions: { enabled: true },
				resourceIndicators: {
					enabled: true,
					useGrantedResource: () => true,
					getResourceServerInfo: (_context, indicator) => ofApi(indicator.replace("urn:", "")),
				},
			},
			findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...this.#people[id] }) }),
			formats: {
				customizers: {
					jwt: (_context, token, parts) => {
						if ("accountId" in token) Object.assign(parts.payload, this.#people[String(token.accountId)]);
					},
				},
			},
			scopes: ["openid", "email", "api"],
			cookies: { keys: ["only for tests"] },
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (!this.#server.listening) return;
		await closeAtOnce(this.#server);
	}
}
