import { expect } from "chai";
import { callerHeaders, providerHeaders } from "#shared/model-proxy/provider/forwarded-headers.ts";

describe("providerHeaders()", () => {
	const token = "token of the launch";
	const shown = { authorization: `Bearer ${token}`, "x-api-key": token, "x-goog-api-key": token, cookie: token };

	it("show the provider's key in its own header and the caller's token nowhere", () => {
		const places = {
			"openai-chat": "authorization",
			"openai-responses": "authorization",
			anthropic: "x-api-key",
			gemini: "x-goog-api-key",
		} as const;
		for (const wire of ["openai-chat", "openai-responses", "anthropic", "gemini"] as const) {
			const sent = providerHeaders({ ...shown, "anthropic-version": "1" }, wire, "KEY");
			expect(Object.keys(sent).toSorted()).to.deep.equal(
				["accept-encoding", "anthropic-version", places[wire]].toSorted(),
			);
			expect(sent[places[wire]]).to.equal(places[wire] === "authorization" ? "Bearer KEY" : "KEY");
			expect(JSON.stringify(sent)).not.to.include(token);
		}
	});

	it("show no key to a provider that needs none", () => {
		expect(providerHeaders(shown, "openai-chat", "")).to.deep.equal({ "accept-encoding": "identity" });
	});

	it("leave out what belongs to the connection, also where it names it itself", () => {
		const sent = providerHeaders(
			{
				connection: "close, X-Own",
				"x-own": "1",
				host: "127.0.0.1",
				"content-length": "9",
				te: "trailers",
				"x-other": "2",
			},
			"anthropic",
			"",
		);
		expect(sent).to.deep.equal({ "x-other": "2", "accept-encoding": "identity" });
	});

	it("ask for an uncompressed answer", () => {
		expect(providerHeaders({ "accept-encoding": "br" }, "anthropic", "")["accept-encoding"]).to.equal("identity");
	});
});

describe("callerHeaders()", () => {
	it("leave out headers of the connection, cookies, and headers with the key", () => {
		const headers = {
			"content-type": "text/event-stream",
			"transfer-encoding": "chunked",
			"content-encoding": "gzip",
			"set-cookie": ["a=1"],
			"x-echo": "Bearer KEY",
		};
		expect(callerHeaders(headers, (text) => text.includes("KEY"))).to.deep.equal({
			"content-type": "text/event-stream",
		});
	});
});
