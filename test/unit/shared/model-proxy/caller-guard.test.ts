import { expect } from "chai";
import type { IncomingHttpHeaders } from "node:http";
import { CallerGuard } from "#shared/model-proxy/caller-guard.ts";
import { ProxyError } from "#shared/model-proxy/proxy-error.ts";

const port = 4_000;
const token = "token-of-this-launch";

describe("CallerGuard", () => {
	const guard = new CallerGuard(token);

	function statusOf(headers: IncomingHttpHeaders, url = "/anthropic/v1/messages"): number {
		try {
			guard.check({ headers: { host: `127.0.0.1:${port}`, ...headers }, url }, port);
			return 200;
		} catch (error) {
			return error instanceof ProxyError ? error.status : 500;
		}
	}

	it("admits whoever shows the token where the provider's key would stand", () => {
		const places: IncomingHttpHeaders[] = [
			{ authorization: `Bearer ${token}` },
			{ authorization: `bearer  ${token}` },
			{ "x-api-key": token },
			{ "x-goog-api-key": token },
		];
		for (const place of places) expect(statusOf(place), JSON.stringify(place)).to.equal(200);
		expect(statusOf({}, `/gemini/v1beta/models?key=${token}`)).to.equal(200);
		expect(statusOf({ "x-api-key": token, host: `localhost:${port}` })).to.equal(200);
	});

	it("refuses any other token, and none", () => {
		const wrong: IncomingHttpHeaders[] = [
			{},
			{ authorization: token },
			{ authorization: `Basic ${token}` },
			{ authorization: "Bearer" },
			{ "x-api-key": token.slice(0, -1) },
			{ "x-api-key": `${token} ` },
			{ "x-goog-api-key": "" },
			{ cookie: `key=${token}` },
		];
		for (const headers of wrong) expect(statusOf(headers), JSON.stringify(headers)).to.equal(401);
		expect(statusOf({}, `/x?other=${token}`)).to.equal(401);
	});

	it("refuses web pages and other hosts, whatever they show", () => {
		const shown = { "x-api-key": token };
		expect(statusOf({ ...shown, origin: "http://127.0.0.1:4000" })).to.equal(403);
		for (const host of ["127.0.0.1", `127.0.0.1:${port + 1}`, `evil.example:${port}`, ""])
			expect(statusOf({ ...shown, host }), host).to.equal(403);
	});
});
