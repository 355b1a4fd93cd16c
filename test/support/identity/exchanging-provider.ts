/** A real OpenID provider that exchanges tokens (RFC 8693) for a confidential client, as an identity provider would. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify } from "jose";
import { Provider, errors, type Configuration, type KoaContextWithOIDC } from "oidc-provider";
import type { Certificate } from "../bus/test-certificates.ts";
import type { People } from "./openid-provider.ts";
import { closeAtOnce } from "../machine/loopback-server.ts";

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";
/** A proof of access takes minutes. */
const loginSeconds = 1_800;
const longestSeconds = 31_536_000;

/** The client that exchanges. */
export const issuerClient = { client_id: "pat-issuer", client_secret: "s3cret-s3cret-s3cret-s3cret-s3cret" } as const;

/** The audience of the platform. */
export const audience = "https://svc.example/api";

/** How the provider misbehaves, where a test wants it. */
export interface ProviderFaults {
	/** The subject of exchanged tokens in place of the right one. */
	subject?: string;
	/** Exchanged tokens name the login's client instead of the issuer's. */
	hidesClient?: boolean;
}

/** The place of a provider that others than this machine reach, who trust the authority of its certificate. */
export interface SecurePlace {
	readonly host: string;
	readonly certificate: Certificate;
}

/** One provider, with one key and two clients. */
export class ExchangingProvider implements AsyncDisposable {
	readonly #server: Server;
	readonly issuer: string;
	readonly #key: JWK;
	readonly #provider: Provider;
	readonly #people: People;
	readonly faults: ProviderFaults = {};
	/** The parameters of all exchanges. */
	readonly asked: Record<string, unknown>[] = [];

	private constructor(server: Server, issuer: string, { key, people }: { key: JWK; people: People }) {
		this.#people = people;
		this.#server = server;
		this.issuer = issuer;
		this.#key = key;
		this.#provider = new Provider(this.issuer, this.#configuration());
		this.#provider.registerGrantType(exchange, (context) => this.#exchange(context), [
			"subject_token",
			"subject_token_type",
			"requested_token_type",
			"audience",
			"expires_in",
		]);
		const handle = this.#provider.callback();
		server.on("request", (request, response) => void handle(request, response));
	}

	/** @param people The claims of people, by their subjects. @param place Default: loopback. */
	static async start(people: People = {}, place?: SecurePlace): Promise<ExchangingProvider> {
		const { privateKey } = await generateKeyPair("RS256", { extractable: true });
		const key = { ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: "k1" };
		const host = place?.host ?? "127.0.0.1";
		const server = place ? secureServer(place.certificate) : createServer();
		server.listen(0, host);
		await once(server, "listening");
		const origin = `${place ? "https" : "http"}://${host}:${(server.address() as AddressInfo).port}`;
		return new ExchangingProvider(server, origin, { key, people });
	}

	/** The arguments of the class `TokenExchange`. */
	get exchangeOptions() {
		return { token_url: `${this.issuer}/token`, ...issuerClient };
	}

	/** Returns the token that a person gets by logging in. @param audiences Default: the platform and the issuer. */
	async login(person: string, audiences: readonly string[] = [audience, issuerClient.client_id]): Promise<string> {
		return this.#token(person, { client: "web", seconds: loginSeconds, audiences });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	#configuration(): Configuration {
		const redirect_uris = ["http://127.0.0.1/cb"];
		return {
			jwks: { keys: [this.#key] },
			clients: [
				{ client_id: "web", token_endpoint_auth_method: "none", application_type: "native", redirect_uris },
				{
					...issuerClient,
					token_endpoint_auth_method: "client_secret_post",
					redirect_uris: [],
					response_types: [],
					grant_types: [exchange],
				},
			],
			features: { devInteractions: { enabled: false }, resourceIndicators: { enabled: true } },
			findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
			formats: {
				customizers: {
					jwt: (_context, token, { payload }) => {
						const extra = Reflect.get(token, "made") as
							| { audiences: string[]; subject?: string; azp?: string }
							| undefined;
						payload.aud = extra?.audiences ?? payload.aud;
						if ("accountId" in token) Object.assign(payload, this.#people[String(token.accountId)]);
						if (extra?.subject !== undefined) payload.sub = extra.subject;
						if (extra?.azp !== undefined) payload["client_id"] = extra.azp;
					},
				},
			},
			scopes: ["openid", "api"],
		};
	}

	/** Returns the subject of a login token that is meant for this client, too. */
	async #subjectOf(token: string, clientId: string): Promise<string> {
		const { kty, n, e, kid, alg } = this.#key;
		const publicKey = { kty, n, e, kid, alg } as JWK;
		const rules = { issuer: this.issuer, audience: clientId };
		const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: [publicKey] }), rules).catch(() => {
			throw new errors.InvalidGrant("subject_token is invalid");
		});
		return payload.sub ?? "";
	}

	async #exchange(context: KoaContextWithOIDC): Promise<void> {
		const { oidc } = context;
		const { params = {}, client } = oidc;
		this.asked.push({ ...params });
		const { subject_token, expires_in } = params;
		if (typeof subject_token !== "string") throw new errors.InvalidRequest("subject_token is required");
		const { clientId = "" } = client ?? {};
		const token = await this.#token(await this.#subjectOf(subject_token, clientId), {
			client: clientId,
			seconds: Math.min(Number(expires_in) || longestSeconds, longestSeconds),
			audiences: [audience],
			...this.faults,
		});
		context.body = { access_token: token, issued_token_type: accessToken, token_type: "Bearer" };
	}

	async #token(
		person: string,
		made: { client: string; seconds: number; audiences: readonly string[] } & ProviderFaults,
	): Promise<string> {
		const client = await this.#provider.Client.find(made.client);
		if (!client) throw new TypeError(`There is no client ${made.client}`);
		const { AccessToken, ResourceServer } = this.#provider;
		const extra = {
			audiences: [...made.audiences],
			...(made.subject !== undefined && { subject: made.subject }),
			...(made.hidesClient && { azp: "web" }),
		};
		const token = new AccessToken({ accountId: person, client, scope: "api" } as never);
		Object.assign(token, { made: extra });
		token.resourceServer = new ResourceServer(audience, {
			scope: "api",
			audience,
			accessTokenFormat: "jwt",
			accessTokenTTL: made.seconds,
			jwt: { sign: { alg: "RS256" } },
		});
		token.setAudience(audience);
		return token.save();
	}
}

function secureServer({ cert, key }: Certificate): Server {
	return createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
}
