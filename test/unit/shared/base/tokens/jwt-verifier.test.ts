import { expect } from "chai";
import { now, turnClock } from "#shared/base/clock.ts";
import { JwtVerifier } from "#shared/base/tokens/jwt-verifier.ts";
import { TokenRefusedError } from "#shared/base/tokens/token-refused.ts";
import { importPublicKey, keyAmong, type VerificationKey } from "#shared/base/tokens/verification-keys.ts";
import { goodClaims, hostileTokens } from "../../../../support/hostile/hostile-tokens.ts";
import { signed, signingKey, type SigningKey } from "../../../../support/identity/signing-keys.ts";
import { type StoppedClock, stopClock } from "../../../../support/machine/stopped-clock.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const issuer = "https://login.example/realms/one";
const audience = "atelier";

describe("the verifier of tokens", () => {
	let keys: SigningKey[];
	let known: VerificationKey[];
	let verifier: JwtVerifier;
	let at: number;
	let clock: StoppedClock;

	before(async () => {
		keys = await Promise.all((["RS256", "ES256", "EdDSA"] as const).map((alg) => signingKey(alg)));
		known = (await Promise.all(keys.map(({ jwk }) => importPublicKey(jwk)))).filter((key) => key !== undefined);
	});
	beforeEach(() => {
		verifier = verifierOf(known);
		clock = stopClock();
		at = Math.floor(now() / 1_000);
	});
	// Some tokens are valid a second later, and a busy machine takes longer than that.
	afterEach(() => clock[Symbol.dispose]());

	function verifierOf(list: VerificationKey[]): JwtVerifier {
		return new JwtVerifier({ issuer, audience, keys: { find: async (alg, kid) => keyAmong(list, alg, kid) } });
	}

	function good(changes: Record<string, unknown> = {}): Record<string, unknown> {
		return { ...goodClaims({ issuer, audience, at }), ...changes };
	}

	async function faultOf(token: string): Promise<string> {
		const error = await failureOf(verifier.verify(token));
		return error instanceof TokenRefusedError ? error.fault : expect.fail(String(error));
	}

	it("accepts what the issuer signs for this audience, with each algorithm", async () => {
		for (const key of keys) {
			const { sub, exp, claims } = await verifier.verify(await signed(key, good({ groups: ["a"] })));
			expect([sub, exp, claims["groups"]]).to.deep.equal(["ada", at + 300, ["a"]]);
			const header = { kid: undefined, typ: "JWT" };
			expect(await verifier.verify(await signed(key, good({ aud: ["x", audience] }), header))).to.include({ sub });
			expect(await verifier.verify(await signed(key, good({ typ: "Bearer", nonce: "n" })))).to.include({ sub });
		}
	});

	it("accepts none of the hostile tokens, twice", async () => {
		const hostile = await hostileTokens({ issuer, audience, at, keys });
		expect(hostile.length).to.be.above(131);
		const accepted: string[] = [];
		for (const { what, token } of [...hostile, ...hostile]) {
			await verifier.verify(token).then(
				() => accepted.push(what),
				(error: unknown) => expect(error, what).to.be.instanceOf(TokenRefusedError),
			);
		}
		expect(accepted).to.deep.equal([]);
		console.log(`      ${hostile.length} tokens, 0 accepted`);
	});

	it("tells which rule a token breaks", async () => {
		const [key = expect.fail("no key")] = keys;
		const faults = {
			issuer: { iss: "https://other.example" },
			audience: { aud: "other" },
			subject: { sub: "" },
			expired: { exp: at - 60, iat: at - 100 },
			"not-yet-valid": { nbf: at + 60 },
			times: { exp: undefined },
			kind: { typ: "ID" },
		};
		for (const [fault, claims] of Object.entries(faults))
			expect(await faultOf(await signed(key, good(claims)))).to.equal(fault);
		expect(await faultOf("x")).to.equal("form");
		expect(await faultOf(await signed(key, good(), { kid: "unknown" }))).to.equal("key");
		expect(await faultOf(await signed(await signingKey("RS256"), good()))).to.equal("signature");
	});

	it("refuses a remembered token when it expires, and when its key is withdrawn", async () => {
		const [key = expect.fail("no key")] = keys;
		const list = [...known];
		verifier = verifierOf(list);
		const token = await signed(key, good());
		await verifier.verify(token);
		const restore = turnClock({ now: () => (at + 331) * 1_000, monotonic: () => 0 });
		try {
			expect(await faultOf(token)).to.equal("expired");
		} finally {
			restore();
		}
		await verifier.verify(token);
		list.length = 0;
		expect(await faultOf(token)).to.equal("key");
	});

	it("names a token by what was signed, whatever its signature", async () => {
		const key = keys.find(({ alg }) => alg === "ES256") ?? expect.fail("no key");
		const token = await signed(key, good());
		const twin = await mirrored(token);
		expect(twin).not.to.equal(token);
		const [one, two] = [await verifier.verify(token), await verifier.verify(twin)];
		expect(one.digest).to.equal(two.digest);
		expect((await verifier.verify(await signed(key, good({ jti: "2" })))).digest).not.to.equal(one.digest);
	});

	it("takes an HS256 token only where its own key is HS256", async () => {
		const secret = Buffer.alloc(32, 7);
		const local: VerificationKey = { kid: "local", alg: "HS256", key: secret };
		const { SignJWT } = await import("jose");
		const token = await new SignJWT(good())
			.setProtectedHeader({ alg: "HS256", kid: "local", typ: "at+jwt" })
			.sign(secret);
		expect(await verifierOf([local]).verify(token)).to.include({ sub: "ada" });
		expect(await faultOf(token)).to.equal("key");
	});
});

/** Returns the same ES256 token with the other valid signature: s becomes the group's order minus s. */
async function mirrored(token: string): Promise<string> {
	const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
	const [head, body, signature = ""] = token.split(".");
	const bytes = Buffer.from(signature, "base64url");
	const s = order - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
	const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
	return `${head}.${body}.${other.toString("base64url")}`;
}
