/** The issuer `TokenExchange` against a real OpenID provider: what it asks for, what it gets, and what it refuses. */
import { createServer } from "node:http";
import { once } from "node:events";
import { expect } from "chai";
import { decodeJwt } from "jose";
import { readIssuedToken } from "#services/pat/issue/issued-token.ts";
import { TokenExchange } from "#services/pat/token-issuers/token-exchange.ts";
import { ConfigError } from "#shared/config/config.ts";
import { UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import { alice } from "../../support/bus/test-brokers.ts";
import { failureOf } from "../../support/failure-of.ts";
import { audience, ExchangingProvider, issuerClient } from "../../support/identity/exchanging-provider.ts";
import { loopbackUrl } from "../../support/machine/loopback-server.ts";

const year = 31_536_000;
const order = { principal: alice, id: "t1", name: "laptop", lifetimeSeconds: year };

describe("TokenExchange", function () {
	this.timeout(30_000);
	let provider: ExchangingProvider;
	before(async () => {
		provider = await ExchangingProvider.start();
	});
	after(() => provider?.[Symbol.asyncDispose]());

	const exchanger = (given = {}) => new TokenExchange({ ...provider.exchangeOptions, ...given });

	it("gets a token of a year for the person, with every parameter of the exchange", async () => {
		const subjectToken = await provider.login("ada");
		const text = await exchanger({ audience }).issue({ ...order, subjectToken });
		expect(provider.asked.at(-1)).to.include({
			grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
			client_id: issuerClient.client_id,
			client_secret: issuerClient.client_secret,
			subject_token: subjectToken,
			subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
			requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
			audience,
			expires_in: String(year),
		});
		const { iat = 0, exp = 0, sub, aud } = decodeJwt(text);
		expect([exp - iat, sub, aud]).to.deep.equal([year, "ada", [audience]]);
		const issued = readIssuedToken(text, { subjectToken, clientId: issuerClient.client_id, now: Date.now() });
		expect(issued.expiresAt).to.equal(exp * 1_000);
	});

	it("refuses what the provider refuses, with its code and nothing of the request", async () => {
		const login = await provider.login("ada");
		const pat = await exchanger().issue({ ...order, subjectToken: login });
		const notForUs = await provider.login("ada", [audience]);
		const wrong: [string, string, object][] = [
			["invalid_grant", pat, {}],
			["invalid_grant", notForUs, {}],
			["invalid_grant", `${login.slice(0, -8)}AAAAAAAA`, {}],
			["invalid_client", login, { client_secret: "wrong" }],
			["invalid_client", login, { client_id: "nobody" }],
		];
		for (const [code, subjectToken, options] of wrong) {
			const failure = await failureOf(exchanger(options).issue({ ...order, subjectToken }));
			expect(failure).to.be.instanceOf(UpstreamError).and.to.include({ type: "ISSUER_REFUSED", code: 502 });
			expect(String(failure)).to.include(code).and.to.not.include(subjectToken.slice(-40));
		}
	});

	it("asks nobody without the person's token", async () => {
		const before = provider.asked.length;
		expect(await failureOf(exchanger().issue(order))).to.be.instanceOf(UnprocessableError);
		expect(provider.asked).to.have.length(before);
	});

	it("does not believe tokens that it could not revoke, or that are another person's", async () => {
		const subjectToken = await provider.login("ada");
		for (const faults of [{ subject: "bob" }, { hidesClient: true }]) {
			Object.assign(provider.faults, faults);
			const text = await exchanger().issue({ ...order, subjectToken });
			for (const name of Object.keys(faults)) Reflect.deleteProperty(provider.faults, name);
			const read = () => readIssuedToken(text, { subjectToken, clientId: issuerClient.client_id, now: Date.now() });
			expect(read, JSON.stringify(faults)).to.throw(UpstreamError);
		}
	});

	it("bounds the provider's answer, follows no redirect, and survives nonsense", async () => {
		const answers = [
			{ status: 200, body: "x".repeat(100_000) },
			{ status: 200, body: "no JSON" },
			{ status: 200, body: "null" },
			{ status: 200, body: '{"access_token":1}' },
			{ status: 500, body: '{"error":"<script>"}' },
			{ status: 302, body: "", headers: { location: `${provider.issuer}/token` } },
		];
		let next = 0;
		const odd = createServer((_request, response) => {
			const { status, body, headers = {} } = answers[next++] ?? { status: 500, body: "" };
			response.writeHead(status, headers).end(body);
		}).listen(0, "127.0.0.1");
		await once(odd, "listening");
		const token_url = `${loopbackUrl(odd)}/token`;
		try {
			for (const answer of answers) {
				const failure = await failureOf(exchanger({ token_url }).issue({ ...order, subjectToken: "a.b.c" }));
				expect(failure, JSON.stringify(answer).slice(0, 80)).to.be.instanceOf(UpstreamError);
				expect(String(failure)).to.not.include("script");
			}
			expect(next).to.equal(answers.length);
		} finally {
			odd.closeAllConnections();
			odd.close();
		}
	});

	it("is not created with a missing argument, nor for a URL that others can read", () => {
		const good = provider.exchangeOptions;
		for (const wrong of [
			{ ...good, client_secret: "" },
			{ ...good, client_id: undefined as unknown as string },
			{ ...good, token_url: "login.example" },
			{ ...good, token_url: "http://login.example/token" },
		])
			expect(() => new TokenExchange(wrong)).to.throw(ConfigError);
	});
});
