import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { isTrustedAddress, RemoteKeySet } from "#shared/base/tokens/remote-key-set.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { KeyServer } from "../../../../support/identity/key-server.ts";
import { signingKey, type SigningKey } from "../../../../support/identity/signing-keys.ts";

describe("the key set of an issuer", () => {
	let one: SigningKey;
	let two: SigningKey;
	let server: KeyServer;
	let keys: RemoteKeySet;
	let errors: unknown[];
	let at: number;
	let restore: () => void;

	before(async () => {
		[one, two] = await Promise.all([signingKey("ES256", "one"), signingKey("ES256", "two")]);
	});
	beforeEach(async () => {
		at = 1_000_000;
		restore = turnClock({ now: () => at, monotonic: () => at });
		server = await KeyServer.listen([one.jwk]);
		errors = [];
		keys = new RemoteKeySet({ issuer: server.issuer, onError: (error) => errors.push(error) });
	});
	afterEach(async () => {
		restore();
		await server[Symbol.asyncDispose]();
	});

	const find = (kid?: string) => keys.find("ES256", kid);

	it("is read once for many tokens", async () => {
		const found = await Promise.all(Array.from({ length: 50 }, () => find("one")));
		expect(new Set(found).size).to.equal(1);
		expect(found[0]).to.include({ kid: "one", alg: "ES256" });
		expect(server.reads).to.equal(1);
	});

	it("finds a new key, and forgets a withdrawn one with the same reading", async () => {
		const former = await find("one");
		server.keys = [two.jwk];
		at += 10_000;
		expect(await find("two")).to.include({ kid: "two" });
		expect(await find("one")).to.equal(undefined);
		server.keys = [one.jwk];
		at += 10_000;
		expect(await find("one")).not.to.equal(former);
	});

	it("forgets a withdrawn key within 5 minutes, without any unknown name", async () => {
		await find("one");
		server.keys = [two.jwk];
		at += 300_001;
		expect(await find("one")).to.equal(undefined);
	});

	it("is read once for a flood of unknown names", async () => {
		await find("one");
		at += 10_000;
		const found = await Promise.all(Array.from({ length: 200 }, (_, index) => find(`unknown-${index}`)));
		for (let index = 0; index < 200; index++) await find(`unknown-${index}`);
		expect(found.filter((key) => key !== undefined)).to.deep.equal([]);
		expect(server.reads).to.equal(2);
	});

	it("is used for an hour while the issuer fails, and not for longer", async () => {
		await find("one");
		for (const odd of [
			{ status: 500 },
			{ body: "{" },
			{ body: "[]" },
			{ status: 302, headers: { location: "/other" } },
		]) {
			server.odd = odd;
			at += 300_001;
			expect(await find("one"), JSON.stringify(odd)).to.include({ kid: "one" });
		}
		expect(errors).to.have.length(4);
		at += 3_600_001;
		expect(await failureOf(find("one"))).to.be.instanceOf(UnavailableError);
		expect(await failureOf(find("unknown"))).to.be.instanceOf(UnavailableError);
		server.odd = undefined;
		at += 10_000;
		expect(await find("one")).to.include({ kid: "one" });
	});

	it("is not read beyond its bounds of bytes and time", async () => {
		server.odd = { body: JSON.stringify({ keys: [one.jwk], more: "x".repeat(300_000) }) };
		expect(await failureOf(find("one"))).to.be.instanceOf(UnavailableError);
		expect(String(errors)).to.include("262144 bytes");
		server.odd = "silent";
		at += 10_000;
		expect(await failureOf(find("one"))).to.be.instanceOf(UnavailableError);
		expect(String(errors[1])).to.include("Timeout");
	}).timeout(20_000);

	it("leaves out keys that are not for signatures, too small or of other algorithms", async () => {
		const { n: _n, ...rest } = (await signingKey("RS256", "rsa")).jwk;
		const bad = [
			{ kty: "oct", k: "AAAA", kid: "oct", alg: "HS256" },
			{ ...one.jwk, kid: "enc", use: "enc" },
			{ ...one.jwk, kid: "ops", key_ops: ["sign"] },
			{ ...one.jwk, kid: "alg", alg: "ES384" },
			{ ...rest, kid: "small", n: "AQAB" },
			{ kty: "EC", crv: "P-256", kid: "broken", x: "AA", y: "AA" },
		];
		server.keys = [...bad, one.jwk];
		for (const { kid } of bad)
			for (const alg of ["ES256", "RS256", "HS256"]) expect(await keys.find(alg, kid)).to.equal(undefined);
		expect(await find()).to.include({ kid: "one" });
	});

	it("is not taken from an issuer with another name, or from an address that others can answer for", async () => {
		for (const described of [
			{ issuer: `${server.issuer}/` },
			{ jwks_uri: "http://login.example/jwks" },
			{ jwks_uri: 1 },
		]) {
			server.described = described;
			at += 10_000;
			expect(await failureOf(find("one")), JSON.stringify(described)).to.be.instanceOf(UnavailableError);
		}
		expect(server.reads).to.equal(0);
		const fine = ["https://login.example", "http://127.0.0.1:8080/x", "http://localhost", "http://[::1]:1"];
		const wrong = [
			"http://login.example",
			"http://127.0.0.1.example",
			"https://a:b@login.example",
			"file:///x",
			"x",
			"",
		];
		expect(fine.filter((url) => !isTrustedAddress(url))).to.deep.equal([]);
		expect(wrong.filter((url) => isTrustedAddress(url))).to.deep.equal([]);
	});
});
