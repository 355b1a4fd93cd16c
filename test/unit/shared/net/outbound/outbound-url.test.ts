import { expect } from "chai";
import { loadConfig } from "#shared/config/config.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { outboundRules } from "#shared/net/outbound/outbound-rules.ts";
import { checkUrl } from "#shared/net/outbound/outbound-url.ts";
import { hostileUrls } from "../../../../support/hostile/hostile-urls.ts";

const { outbound } = loadConfig({});
const rules = outboundRules(outbound);

function isAccepted(url: string): boolean {
	try {
		checkUrl(url, rules);
		return true;
	} catch (error) {
		if (error instanceof UnprocessableError) return false;
		throw error;
	}
}

describe("checkUrl", () => {
	it("refuses every URL that leads to a private place, or cannot be requested", () => {
		expect(new Set(hostileUrls).size).to.be.above(475);
		expect(hostileUrls.filter(isAccepted)).to.deep.equal([]);
	});

	it("accepts public URLs as they will be requested", () => {
		const urls = {
			"https://server.example/a?b=c#d": "https://server.example/a?b=c",
			"HTTPS://Server.Example.:443": "https://server.example/",
			"https://140.82.121.4/x": "https://140.82.121.4/x",
			"https://[2606:4700::1111]/": "https://[2606:4700::1111]/",
			"https://bücher.example/": "https://xn--bcher-kva.example/",
			"https://server.example/?url=http://127.0.0.1/": "https://server.example/?url=http://127.0.0.1/",
		};
		for (const [text, url] of Object.entries(urls)) expect(checkUrl(text, rules).url.href).to.equal(url);
	});

	it("accepts origins that the configuration allows, and only these", () => {
		const known = outboundRules({ ...outbound, allow: ["http://10.0.0.1:3000", "gitea"] });
		for (const url of ["http://10.0.0.1:3000/x", "https://gitea/x", "http://167772161:3000/"])
			expect(checkUrl(url, known).isAllowed, url).to.equal(true);
		for (const url of ["https://10.0.0.1:3000/", "http://10.0.0.1/", "http://10.0.0.2:3000/", "http://gitea/"])
			expect(() => checkUrl(url, known), url).to.throw(UnprocessableError);
	});

	it("repeats no credentials and no query in its sentence", () => {
		for (const url of ["https://u:canary@x.example/", "http://x.example/?t=canary", "https://x.example:1/canary"])
			expect(() => checkUrl(url, rules)).to.throw(UnprocessableError, /^(?!.*canary)/);
	});
});
