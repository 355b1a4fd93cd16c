import { expect } from "chai";
import { baseUrl } from "#shared/base/base-url.ts";
import { gatewayUrl } from "#shared/config/gateway-url.ts";

describe("gatewayUrl()", () => {
	const table: [host: string, port: number, public_url: string, url: string | undefined][] = [
		["127.0.0.1", 8_080, "", "http://127.0.0.1:8080"],
		["0.0.0.0", 8_080, "", "http://127.0.0.1:8080"],
		["::", 8_080, "", "http://127.0.0.1:8080"],
		["::1", 8_080, "", "http://[::1]:8080"],
		["host.example", 80, "", "http://host.example:80"],
		["127.0.0.1", 0, "", undefined],
		["127.0.0.1", 0, "https://atelier.example", "https://atelier.example"],
	];
	for (const [host, port, public_url, url] of table) {
		it(`is ${url} for ${host}, ${port} and "${public_url}"`, () => {
			expect(gatewayUrl({ host, port, public_url })).to.equal(url);
		});
	}
});

describe("baseUrl()", () => {
	it("has no slash at its end, in linear time", () => {
		expect(baseUrl("http://x/v1//")).to.equal("http://x/v1");
		expect(baseUrl("http://x")).to.equal("http://x");
		expect(baseUrl("/".repeat(1_000_000))).to.equal("");
	});
});
