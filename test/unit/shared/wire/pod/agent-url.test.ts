import { expect } from "chai";
import { UpstreamError } from "#shared/base/errors.ts";
import { agentSocketUrl, agentUrl } from "#shared/wire/pod/agent-url.ts";

describe("agentUrl() (H9)", () => {
	it("is below an address in the form of runtimes", () => {
		expect(String(agentUrl("http://127.0.0.1:40123", "/api/logs"))).to.equal("http://127.0.0.1:40123/api/logs");
		expect(String(agentSocketUrl("http://127.0.0.1:1", "/session"))).to.equal("ws://127.0.0.1:1/session");
	});

	it("is at another host only if the configuration names it", () => {
		const hosts = ["pod-manager", "10.0.0.1"];
		expect(String(agentUrl("http://pod-manager:40123", "/x", hosts))).to.equal("http://pod-manager:40123/x");
		expect(String(agentSocketUrl("http://10.0.0.1:1", "/x", hosts))).to.equal("ws://10.0.0.1:1/x");
		for (const address of ["http://pod-manager.evil:1", "http://10.0.0.2:1", "http://pod-manager:1@evil:2"])
			expect(() => agentUrl(address, "/x", hosts), address).to.throw(UpstreamError);
	});

	it("is within a network only if the configuration names it", () => {
		const hosts = ["pod-manager", "10.244.0.0/16"];
		expect(String(agentUrl("http://10.244.7.9:7433", "/x", hosts))).to.equal("http://10.244.7.9:7433/x");
		for (const address of ["http://10.245.0.1:7433", "http://10.244.0.0.evil:1", "http://10.244.0.999:1"])
			expect(() => agentUrl(address, "/x", hosts), address).to.throw(UpstreamError);
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
