import { expect } from "chai";
import { UpstreamError } from "#shared/errors.ts";
import { agentSocketUrl, agentUrl } from "#shared/pod/agent-url.ts";

describe("agentUrl() (H9)", () => {
	it("is below an address in the form of runtimes", () => {
		expect(String(agentUrl("http://127.0.0.1:40123", "/api/logs"))).to.equal("http://127.0.0.1:40123/api/logs");
		expect(String(agentSocketUrl("http://127.0.0.1:1", "/session"))).to.equal("ws://127.0.0.1:1/session");
	});

	for (const address of [
		"http://evil.example:80",
		"http://10.0.0.1:40123",
		"http://127.0.0.1.evil.example:1",
		"http://127.0.0.1:1@evil.example",
		"http://127.0.0.1:1/..//evil.example",
		"http://127.0.0.1:1\nevil",
		"http://127.0.0.1",
		"http://127.0.0.1:0",
		"http://127.0.0.1:99999",
		"https://127.0.0.1:1",
		"http://[::1]:1",
		"http://localhost:1",
		"file:///etc/passwd",
		"",
	]) {
		it(`is none for "${address.replaceAll("\n", "\\n")}"`, () => {
			for (const url of [agentUrl, agentSocketUrl]) {
				expect(() => url(address, "/session"))
					.to.throw(UpstreamError)
					.with.property("type", "POD_ADDRESS");
			}
		});
	}
});
