/**
 * ONLY FOR TRYING OUT: an OpenID provider with two people, ada (administrator) and bob (developer), whose passwords stand in
 * the environment. It gives access tokens for a password (RFC 6749, 4.3) and nothing else: no browser login, no refresh, no
 * revocation. docs/compose.md says how to replace it.
 */
import { createHash, createPrivateKey, createPublicKey, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { SignJWT } from "jose";

const lifeSeconds = 3_600;
const maxBytes = 4_096;
/** A wrong password costs its sender this time, in milliseconds. */
const wrongMs = 500;

function fromEnvironment(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`The environment variable ${name} is not set`);
}

const issuer = fromEnvironment("LOGIN_ISSUER");
const key = createPrivateKey({
	key: Buffer.from(fromEnvironment("LOGIN_PRIVATE_KEY"), "base64"),
	format: "der",
	type: "pkcs8",
});
const keySet = {
	keys: [{ ...createPublicKey(key).export({ format: "jwk" }), alg: "EdDSA", use: "sig", kid: "trial" }],
};
const people = new Map([
	["ada", { password: fromEnvironment("LOGIN_PASSWORD_ADA"), roles: ["admin"] }],
	["bob", { password: fromEnvironment("LOGIN_PASSWORD_BOB"), roles: ["developer"] }],
]);
const discovery = {
	issuer,
	jwks_uri: `${issuer}/jwks`,
	token_endpoint: `${issuer}/token`,
	grant_types_supported: ["password"],
	id_token_signing_alg_values_supported: ["EdDSA"],
};

function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}

async function tokenFor(body: URLSearchParams): Promise<string | undefined> {
	const name = body.get("username") ?? "";
	const person = people.get(name);
	if (!person || body.get("grant_type") !== "password") return undefined;
	if (!timingSafeEqual(digest(person.password), digest(body.get("password") ?? ""))) return undefined;
	return new SignJWT({ roles: person.roles, name, email: `${name}@example.invalid` })
		.setProtectedHeader({ alg: "EdDSA", kid: "trial", typ: "at+jwt" })
		.setSubject(name)
		.setIssuer(issuer)
		.setAudience("atelier")
		.setJti(randomUUID())
		.setIssuedAt()
		.setExpirationTime(`${lifeSeconds}s`)
		.sign(key);
}

function answer(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
	response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
	let text = "";
	for await (const chunk of request.setEncoding("utf8")) {
		text += chunk;
		if (text.length > maxBytes) return undefined;
	}
	return new URLSearchParams(text);
}

async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body = await bodyOf(request);
	const token = body && (await tokenFor(body));
	if (token !== undefined)
		return answer(response, 200, { access_token: token, token_type: "Bearer", expires_in: lifeSeconds });
	await sleep(wrongMs);
	answer(response, 400, { error: "invalid_grant" });
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const path = `${request.method} ${request.url}`;
	if (path === "GET /.well-known/openid-configuration") return answer(response, 200, discovery);
	if (path === "GET /jwks") return answer(response, 200, keySet);
	if (path === "POST /token") return login(request, response);
	answer(response, 404, { error: "not_found" });
}

const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
	handle(request, response).catch(() => response.destroy());
});
server.listen(Number(process.env["LOGIN_LISTEN"] ?? 8_081), () => console.log("The login FOR TRYING OUT listens"));
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));
