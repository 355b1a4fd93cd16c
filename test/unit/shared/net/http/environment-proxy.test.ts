import { expect } from "chai";
import { environmentProxy } from "#shared/net/http/environment-proxy.ts";

const proxy = "http://proxy.example:3128";

describe("environmentProxy()", () => {
	it("has the proxy for HTTPS and its exceptions when Node is told to use them, and not that for HTTP", () => {
		const env = {
			NODE_USE_ENV_PROXY: "1",
			HTTPS_PROXY: proxy,
			HTTP_PROXY: proxy,
			no_proxy: "one.example",
			PATH: "/bin",
		};
		expect(environmentProxy(env)).to.deep.equal({ HTTPS_PROXY: proxy, no_proxy: "one.example" });
		expect(environmentProxy({ NODE_USE_ENV_PROXY: "1", https_proxy: proxy })).to.deep.equal({ https_proxy: proxy });
	});

	it("has none otherwise", () => {
		expect(environmentProxy({ HTTPS_PROXY: proxy })).to.equal(undefined);
		expect(environmentProxy({ NODE_USE_ENV_PROXY: "0", HTTPS_PROXY: proxy })).to.equal(undefined);
		expect(environmentProxy({ NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "", HTTP_PROXY: proxy })).to.equal(undefined);
	});
});
