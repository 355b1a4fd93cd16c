import { expect } from "chai";
import { loadConfig } from "#shared/config/config.ts";
import { outboundRules } from "#shared/net/outbound/outbound-rules.ts";
import { StartError } from "#shared/base/start-error.ts";

const { outbound } = loadConfig({});

describe("the rules for outbound requests", () => {
	it("allow nothing private and port 443 by default", () => {
		const { allowed, ports, proxy } = outboundRules(outbound);
		expect([[...allowed], ports, proxy]).to.deep.equal([[], [443], undefined]);
	});

	it("read hosts, hosts with a port, and origins", () => {
		const allow = ["gitlab.example", "git.example:8443", "http://gitea.internal:3000", "[fd00::1]:8443", "10.0.0.1"];
		const { allowed } = outboundRules({ ...outbound, allow, ports: [443, 9443] });
		expect([...allowed]).to.deep.equal([
			"https://gitlab.example",
			"https://gitlab.example:9443",
			"https://git.example:8443",
			"http://gitea.internal:3000",
			"https://[fd00::1]:8443",
			"https://10.0.0.1",
			"https://10.0.0.1:9443",
		]);
	});

	for (const entry of [
		"*",
		"*.example",
		"a.example/path",
		"https://a.example/path",
		"user@a.example",
		"a b",
		"ftp://x",
	]) {
		it(`do not allow "${entry}"`, () => {
			expect(() => outboundRules({ ...outbound, allow: [entry] })).to.throw(StartError, entry);
		});
	}

	it("refuse a network that is none", () => {
		expect(() => outboundRules({ ...outbound, refuse: ["10.0.0.0/99"] })).to.throw(StartError, "10.0.0.0/99");
	});
});
