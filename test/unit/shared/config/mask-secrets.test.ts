import { expect } from "chai";
import { maskSecrets } from "#shared/config/mask-secrets.ts";

describe("maskSecrets()", () => {
	const urls: Record<string, string> = {
		"nats://host:1": "nats://host:1",
		"nats://user:word@host:1": "nats://***@host:1",
		"nats://word@host:1": "nats://***@host:1",
		"nats://user:wo/rd@host:1": "nats://***@host:1",
		"nats://user:wo@rd@host:1": "nats://***@host:1",
		"nats://user:wo,rd@host:1": "nats://***@host:1",
		"nats://user:wo?r#d@host:1/path": "nats://***@host:1/path",
		"nats://a:word@one:1,nats://b:wo/r@d@two:2": "nats://***@one:1,nats://***@two:2",
		"mongodb+srv://user:word@one:1,two:2/base?w=1": "mongodb+srv://***@one:1,two:2/base?w=1",
		"user:word@host": "***@host",
		"git@example.org:a/b": "git@example.org:a/b",
	};

	for (const [url, shown] of Object.entries(urls)) {
		it(`shows ${shown} for ${url}`, () => {
			expect(maskSecrets({ url, list: [url] })).to.deep.equal({ url: shown, list: [shown] });
		});
	}

	it("shows the names of variables and headers, and no value", () => {
		const mcp_servers = [{ name: "one", args: ["-v"], env: { KEY: "s3cret" }, headers: { Authorization: "s3cret" } }];
		expect(maskSecrets({ mcp_servers })).to.deep.equal({
			mcp_servers: [{ name: "one", args: ["-v"], env: { KEY: "***" }, headers: { Authorization: "***" } }],
		});
	});
});
