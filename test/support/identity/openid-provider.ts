/**
 * A real OpenID provider in this process: people log in by authorization code and PKCE, as with a browser, and get an
 * access token for the platform's audience and an ID token. Its signing keys can be replaced while it runs.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWK } from "jose";
import { type Configuration, Provider } from "oidc-provider";
import { type PublicAlg, signingKey, type SigningKey } from "./signing-keys.ts";

/** The tokens of one login. */
export interface Login {
	readonly accessToken: string;
	readonly idToken: string;
}

/** The claims of a person beside the subject. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** One request of a login. */
interface Step {
	readonly url: URL;
	/** The filled-in form that is sent. */
	readonly form?: Record<string, string>;
}

const redirect = "http://127.0.0.1/back";
/** The steps of a login: requests, redirects and two forms. */
const maxSteps = 15;

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
		this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
		const code = await this.#walk(new URL(`${this.issuer}/auth?${query}`), name);
		const grant = { grant_type: "authorization_code", code, redirect_uri: redirect, client_id: "web" };
		const body = new URLSearchParams({ ...grant, code_verifier: verifier, resource: `urn:${audience}` });
		const answer = await fetch(`${this.issuer}/token`, { method: "POST", body });
		const tokens = (await answer.json()) as { access_token?: string; id_token?: string };
		const { access_token: accessToken, id_token: idToken } = tokens;
		if (accessToken === undefined || idToken === undefined) throw new Error(`No login: ${JSON.stringify(tokens)}`);
		return { accessToken, idToken };
	}

	/** Follows redirects and fills in forms, like a browser with its cookies; returns the code. */
	async #walk(start: URL, name: string): Promise<string> {
		const cookies = new Map<string, string>();
		let next: Step = { url: start };
		for (let step = 0; step < maxSteps; step++) {
			next = await this.#step(next, cookies, name);
			if (next.url.href.startsWith(redirect)) return next.url.searchParams.get("code") ?? "";
		}
		throw new Error(`The login of ${name} did not end`);
	}

	async #step({ url, form }: Step, cookies: Map<string, string>, name: string): Promise<Step> {
		const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join("; ");
		const sent = form && { method: "POST", body: new URLSearchParams(form) };
		const answer = await fetch(url, { redirect: "manual", headers: { cookie }, ...sent });
		keepCookies(cookies, answer.headers);
		const text = await answer.text();
		const location = answer.headers.get("location");
		if (location !== null) return { url: new URL(location, url) };
		const prompt = found(/name="prompt" value="([^"]+)"/, text);
		const credentials = prompt === "login" && { login: name, password: "any" };
		return { url: new URL(found(/action="([^"]+)"/, text), url), form: { prompt, ...credentials } };
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
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, "close");
	}
}

function keepCookies(cookies: Map<string, string>, headers: Headers): void {
	for (const set of headers.getSetCookie()) {
		const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
		cookies.set(key, value);
	}
}

function found(pattern: RegExp, text: string): string {
	return pattern.exec(text)?.[1] ?? "";
}
