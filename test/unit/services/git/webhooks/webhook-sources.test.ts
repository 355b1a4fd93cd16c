import { expect } from "chai";
import { configuredProviders } from "#services/git/providers/configured-providers.ts";
import { ProviderMaker } from "#services/git/providers/provider-maker.ts";
import { webhookSources } from "#services/git/webhooks/webhook-sources.ts";
import { loadConfig } from "#shared/config/config.ts";

const maker = new ProviderMaker({ send: () => Promise.reject(new Error("Nothing is sent")) });

describe("the sources of webhooks", () => {
	it("are instances, each with a secret and organizations of its own, also at the same host", async () => {
		const instances = JSON.stringify([
			{ name: "work", orgs: ["acme"], webhook_secret: "of work" },
			{ name: "public", orgs: ["oss"] },
			{ name: "all" },
		]);
		const { git } = loadConfig({ GIT__GITHUB__INSTANCES: instances, GIT__GITHUB__WEBHOOK_SECRET: "shared" });
		const sources = webhookSources(await configuredProviders(git, maker));
		expect([...sources].map(([name, { secret }]) => [name, secret])).to.deep.equal([
			["work", "of work"],
			["public", "shared"],
			["all", "shared"],
		]);
		const homes = (url: string) => [...sources].flatMap(([name, { isHome }]) => (isHome(url) ? [name] : []));
		expect(homes("https://github.com/acme/shop")).to.deep.equal(["work", "all"]);
		expect(homes("https://github.com/OSS/shop")).to.deep.equal(["public", "all"]);
		for (const url of ["https://evil.example/acme/shop", "acme/shop", "git@github.com:acme/shop"])
			expect(homes(url), url).to.deep.equal([]);
	});
});
