/** Tokens that no verifier may accept, made from an issuer's own keys, its public keys, and keys of an attacker. */
import { createHmac } from "node:crypto";
import { compactVerify, exportSPKI } from "jose";
import { signed, signingKey, type SigningKey } from "../identity/signing-keys.ts";

/** The issuer whose tokens are imitated. */
export interface TokenAim {
	readonly issuer: string;
	readonly audience: string;
	/** Seconds since 1970. */
	readonly at: number;
	/** A key pair of the issuer for each algorithm. */
	readonly keys: readonly SigningKey[];
}

export interface HostileToken {
	readonly what: string;
	readonly token: string;
}

type Claims = Record<string, unknown>;

/** The claims of an honest token. */
export function goodClaims({ issuer, audience, at }: Omit<TokenAim, "keys">): Claims {
	return { iss: issuer, aud: audience, sub: "ada", iat: at, exp: at + 300, client_id: "cli", scope: "openid" };
}

export async function hostileTokens(aim: TokenAim): Promise<HostileToken[]> {
	const made = await Promise.all([wrongClaims(aim), wrongHeaders(aim), confusions(aim), respellings(aim), others(aim)]);
	return made.flat();
}

function part(value: unknown): string {
	return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** Claims that are signed by the issuer, and are wrong. */
async function wrongClaims(aim: TokenAim): Promise<HostileToken[]> {
	const { issuer, audience, at } = aim;
	const [key] = aim.keys;
	if (!key) return [];
	const values: Record<string, unknown[]> = {
		iss: [
			undefined,
			null,
			"",
			`${issuer}/`,
			issuer.toUpperCase(),
			issuer.slice(0, -1),
			[issuer],
			{ 0: issuer },
			1,
			`${issuer}#`,
			` ${issuer}`,
		],
		aud: [
			undefined,
			null,
			"",
			[],
			[null],
			`${audience}x`,
			audience.slice(1),
			audience.toUpperCase(),
			{ [audience]: true },
			1,
			true,
			[[audience]],
			[audience, 1],
			"cli",
			Array(101).fill(audience),
		],
		sub: [undefined, null, "", 1, true, ["ada"], { id: "ada" }, "a\0b", "a\nb", "a\u0085b", "x".repeat(256)],
		exp: [undefined, null, "", `${at + 300}`, true, -1, at - 31, at - 100_000, [at + 300], {}],
		iat: [undefined, null, "", `${at}`, -1, at + 301, [at], false],
		nbf: [null, "", at + 3_600, `${at}`, -1, [0]],
	};
	const tokens = Object.entries(values).flatMap(([name, list]) =>
		list.map(async (value) => ({
			what: `${name} ${JSON.stringify(value)}`,
			token: await signed(key, { ...goodClaims(aim), [name]: value }),
		})),
	);
	const kinds = [{ typ: "ID" }, { typ: "Refresh" }, { typ: "Logout" }, { typ: 1 }].map(async (claims) => ({
		what: `claim typ ${JSON.stringify(claims.typ)}`,
		token: await signed(key, { ...goodClaims(aim), ...claims }),
	}));
	const { scope: _scope, client_id: _client, ...unmarked } = goodClaims(aim);
	const idTokens = [{ nonce: "n" }, { at_hash: "h" }, { c_hash: "h" }, { scope: "x", nonce: "n" }, {}].map(
		async (marks) => ({
			what: `ID token with ${JSON.stringify(marks)}`,
			token: await signed(key, { ...unmarked, ...marks }, { typ: "JWT" }),
		}),
	);
	// JSON has no infinite numbers, but this text is read as one.
	const text = JSON.stringify({ ...goodClaims(aim), exp: 0 }).replace('"exp":0', '"exp":1e999');
	return [
		...(await Promise.all([...tokens, ...kinds, ...idTokens])),
		{ what: "endless exp", token: await signedText(key, text) },
	];
}

/** Signs any text as claims. */
async function signedText(key: SigningKey, text: string | Uint8Array, header: object = {}): Promise<string> {
	const head = part({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header });
	const input = `${head}.${Buffer.from(text).toString("base64url")}`;
	const algorithm = { RS256: "RSASSA-PKCS1-v1_5", ES256: { name: "ECDSA", hash: "SHA-256" }, EdDSA: "Ed25519" }[
		key.alg
	];
	const signature = await crypto.subtle.sign(algorithm, key.privateKey, Buffer.from(input));
	return `${input}.${Buffer.from(signature).toString("base64url")}`;
}

/** Headers that are signed by the issuer's key, and by an attacker who sends the key along. */
async function wrongHeaders(aim: TokenAim): Promise<HostileToken[]> {
	const [key] = aim.keys;
	if (!key) return [];
	const claims = JSON.stringify(goodClaims(aim));
	const own = [
		...[
			"none",
			"None",
			"NONE",
			"nOnE",
			"",
			" ",
			"RS384",
			"RS512",
			"PS256",
			"ES384",
			"ES512",
			"ES256K",
			"HS256",
			"rs256",
			"EdDSA",
			"ES256",
			1,
			null,
			["RS256"],
		].map((alg) => ({ alg })),
		...["", "../../key", "x".repeat(600), "' OR 1=1", "__proto__", "constructor", 1, null, ["RS256"], {}].map(
			(kid) => ({ kid }),
		),
		...["id_token", "logout+jwt", "dpop+jwt", "secevent+jwt", "", "JOSE", 1, null].map((typ) => ({ typ })),
		{ crit: ["exp"] },
		{ crit: [] },
		{ crit: ["b64"], b64: false },
		{ b64: true },
		{ zip: "DEF" },
	];
	const made = own.map(async (header) => ({
		what: `header ${JSON.stringify(header).slice(0, 60)}`,
		token: await signedText(key, claims, header),
	}));
	const attacker = await signingKey(key.alg, "attacker");
	const offered = [
		{ jwk: attacker.jwk },
		{ jku: "http://127.0.0.1:9/jwks" },
		{ x5u: "http://127.0.0.1:9/cert" },
		{ x5c: ["MIIB"] },
		{ kid: key.kid },
		{ kid: key.kid, jwk: attacker.jwk },
		{ kid: undefined, jwk: attacker.jwk },
		{ kid: undefined },
	].map(async (header) => ({
		what: `an attacker's key with ${Object.keys(header).join(", ")}`,
		token: await signed(attacker, goodClaims(aim), header),
	}));
	return Promise.all([...made, ...offered]);
}

/** Algorithms of another kind for a known key: a public key is no secret, and no signature is none. */
async function confusions(aim: TokenAim): Promise<HostileToken[]> {
	const claims = goodClaims(aim);
	const found: HostileToken[] = [];
	for (const key of aim.keys) {
		const pem = await exportSPKI(key.publicKey);
		const der = Buffer.from(await crypto.subtle.exportKey("spki", key.publicKey));
		const { n = "", x = "" } = key.jwk;
		const secrets = [pem, pem.trim(), der, JSON.stringify(key.jwk), Buffer.from(n || x, "base64url"), ""];
		for (const [index, secret] of secrets.entries())
			for (const hash of ["256", "384", "512"]) {
				const input = `${part({ alg: `HS${hash}`, kid: key.kid, typ: "at+jwt" })}.${part(claims)}`;
				const signature = createHmac(`sha${hash}`, secret).update(input).digest("base64url");
				found.push({
					what: `HS${hash} with the public key of ${key.alg}, form ${index}`,
					token: `${input}.${signature}`,
				});
			}
		const unsigned = `${part({ alg: key.alg, kid: key.kid, typ: "at+jwt" })}.${part(claims)}`;
		for (const signature of [
			"",
			"AA",
			part(Buffer.alloc(64).toString("latin1")),
			Buffer.alloc(64).toString("base64url"),
			Buffer.alloc(256).toString("base64url"),
		])
			found.push({
				what: `${key.alg} with the signature "${signature.slice(0, 8)}"`,
				token: `${unsigned}.${signature}`,
			});
		for (const other of aim.keys.filter(({ alg }) => alg !== key.alg))
			found.push({
				what: `${other.alg} under the name of the key for ${key.alg}`,
				token: await signed(other, claims, { kid: key.kid }),
			});
	}
	return found;
}

/** Other spellings of honest tokens: a lenient decoder takes them for the same token. */
async function respellings(aim: TokenAim): Promise<HostileToken[]> {
	const found: HostileToken[] = [];
	for (const key of aim.keys) {
		const token = await signed(key, goodClaims(aim));
		const [head = "", body = "", signature = ""] = token.split(".");
		const odd = [
			`${token}=`,
			`${token}==`,
			` ${token}`,
			`${token} `,
			`${token}\n`,
			`${token}\0`,
			`${head}=.${body}.${signature}`,
			`${token}.`,
			`.${token}`,
			`${head}.${body}`,
			`${token}.${signature}`,
			`${head}.${body}.${signature}.${head}.${body}`,
			token.replaceAll("-", "+").replaceAll("_", "/").concat("="),
			encodeURIComponent(`${token}/`),
			`${head}.${body}.`,
			`${head}..${signature}`,
			`.${body}.${signature}`,
			token.slice(0, -4),
			token.slice(0, -1),
			`${token}A`,
			token.toLowerCase(),
			`${head}.${body}.${signature.split("").toReversed().join("")}`,
		];
		found.push(...odd.map((text, index) => ({ what: `${key.alg} spelt another way, ${index}`, token: text })));
		// The unused bits of the last character: decoders ignore them.
		for (const [index, one] of [head, body, signature].entries())
			for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
				const changed = one.slice(0, -1) + last;
				if (changed === one) continue;
				const parts = [head, body, signature].with(index, changed);
				if (!(await isValidES256(key, parts.join("."))))
					found.push({ what: `${key.alg}, last character ${last} of part ${index}`, token: parts.join(".") });
			}
	}
	return found;
}

/** A changed text that a strict decoder reads as another valid signature would be no forgery. */
async function isValidES256(key: SigningKey, token: string): Promise<boolean> {
	const canonical = token.split(".").every((one) => Buffer.from(one, "base64url").toString("base64url") === one);
	return (
		canonical &&
		compactVerify(token, key.publicKey).then(
			() => true,
			() => false,
		)
	);
}

/** Texts that are no claims, signed by the issuer; and changes of a signed token. */
async function others(aim: TokenAim): Promise<HostileToken[]> {
	const [key] = aim.keys;
	if (!key) return [];
	const good = JSON.stringify(goodClaims(aim));
	const texts = [
		"",
		"null",
		"[]",
		`[${good}]`,
		'"x"',
		"1",
		"true",
		"{",
		`${good}}`,
		`\uFEFF${good}`.replace("{", "{,"),
		good.replaceAll('"', "'"),
		"[".repeat(4_000),
	];
	const signedTexts = texts.map(async (text) => ({
		what: `claims ${text.slice(0, 20)}`,
		token: await signedText(key, text),
	}));
	const notUtf8 = Buffer.concat([
		Buffer.from(good.slice(0, -1)),
		Buffer.from(',"x":"'),
		Buffer.from([0xc3, 0x28]),
		Buffer.from('"}'),
	]);
	const token = await signed(key, goodClaims(aim));
	const [head = "", , signature = ""] = token.split(".");
	const changed = ["bob", "root"].map((sub) => ({
		what: `sub changed to ${sub}`,
		token: `${head}.${part({ ...goodClaims(aim), sub })}.${signature}`,
	}));
	const huge = await signed(key, { ...goodClaims(aim), more: "x".repeat(12_000) });
	return [
		...(await Promise.all(signedTexts)),
		{ what: "claims that are not UTF-8", token: await signedText(key, notUtf8) },
		...changed,
		{ what: "a huge token", token: huge },
		{
			what: "JSON instead of the compact form",
			token: JSON.stringify({ protected: head, payload: part(good), signature }),
		},
		...[
			"",
			".",
			"..",
			"...",
			"a.b.c",
			"e30.e30.",
			"e30.e30.e30",
			"null.null.null",
			"x".repeat(20_000),
			"__proto__.__proto__.__proto__",
		].map((text) => ({ what: `the text ${text.slice(0, 20)}`, token: text })),
	];
}
