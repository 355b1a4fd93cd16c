import { expect } from "chai";
import { configuredProviders } from "#services/git/providers/configured-providers.ts";
import { ProviderMaker } from "#services/git/providers/provider-maker.ts";
import { ConfigError, loadConfig } from "#shared/config/config.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const maker = new ProviderMaker({
	send: async () => {
		throw new Error("The configuration is read without a request");
	},
});

/** Returns the providers that the variables configure, with the password that git gets. */
async function providersOf(variables: Record<string, string>) {
	const providers = await configuredProviders(loadConfig(variables).git, maker);
	return providers.map(({ provider: one }) => ({
		name: one.name,
		host: one.host,
		orgs: one.orgs,
		token: one.gitCredential().password,
	}));
}

describe("configuredProviders", () => {
	const hosted = { name: "github", host: "github.com", orgs: [], token: "" };

	it("are none by default", async () => expect(await providersOf({})).to.deep.equal([]));

	it("are one without instances, when it is switched on or has a token", async () => {
		expect(await providersOf({ GIT__GITHUB__ENABLED: "true" })).to.deep.equal([hosted]);
		expect(await providersOf({ GIT__GITHUB__TOKEN: "t" })).to.deep.equal([{ ...hosted, token: "t" }]);
		expect(await providersOf({ GIT__GITHUB__TOKEN: "t", GIT__GITHUB__ENABLED: "false" })).to.deep.equal([]);
		const base = { GIT__GITHUB__ENABLED: "true", GIT__GITHUB__BASE_URL: "https://ghe.example/api/v3/" };
		expect(await providersOf({ ...base, GIT__GITHUB__ORGS: "[a, b]" })).to.deep.equal([
			{ ...hosted, host: "ghe.example", orgs: ["a", "b"] },
		]);
	});

	it("are the instances, each with its own token, that of its variable, or the common one", async () => {
		process.env["ATELIER_TEST_GIT_TOKEN"] = "from-variable";
		try {
			const instances = JSON.stringify([
				{ name: "one", token: "own", token_env: "ATELIER_TEST_GIT_TOKEN" },
				{ name: "two", token_env: "ATELIER_TEST_GIT_TOKEN", base_url: "https://ghe.example/api/v3", orgs: ["acme"] },
				{ name: "three", token_env: "ATELIER_TEST_GIT_UNSET" },
			]);
			const found = await providersOf({ GIT__GITHUB__INSTANCES: instances, GIT__GITHUB__TOKEN: "common" });
			expect(found.map(({ name, host, token }) => [name, host, token])).to.deep.equal([
				["one", "github.com", "own"],
				["two", "ghe.example", "from-variable"],
				["three", "github.com", "common"],
			]);
		} finally {
			delete process.env["ATELIER_TEST_GIT_TOKEN"];
		}
	});

	it("sends no token for a Gitea to an address that nobody has given", async () => {
		const error = await failureOf(providersOf({ GIT__GITEA__TOKEN: "t" }));
		expect(error).to.be.instanceOf(ConfigError);
		expect(String(error)).to.contain('"git.gitea.base_url"');
		const GIT__GITEA__INSTANCES = JSON.stringify([{ name: "one", token: "t" }]);
		const ofInstance = await failureOf(providersOf({ GIT__GITEA__INSTANCES }));
		expect(String(ofInstance)).to.contain('"git.gitea.instances.0.base_url"');
		expect(
			await failureOf(maker.ofConnection({ adapter: "gitea", config: {}, credential: { token: "t" } })),
		).to.include({
			code: 422,
			type: "URL_REFUSED",
		});
		const GIT__GITEA__BASE_URL = "https://gitea.example/api/v1";
		expect(await providersOf({ GIT__GITEA__TOKEN: "t", GIT__GITEA__BASE_URL })).to.deep.equal([
			{ name: "gitea", host: "gitea.example", orgs: [], token: "t" },
		]);
	});

	it("refuses two with one name", async () => {
		const GIT__GITHUB__INSTANCES = JSON.stringify([{ name: "one" }, { name: "one" }]);
		const error = await failureOf(providersOf({ GIT__GITHUB__INSTANCES }));
		expect(error).to.be.instanceOf(ConfigError);
		expect(String(error)).to.contain("git.github.instances.1.name");
	});

	it("refuses an address with a user, and never repeats a token", () => {
		for (const address of ["https://me:hunter2@ghe.example", "ghe.example", "ftp://ghe.example"])
			expect(() => loadConfig({ GIT__GITHUB__BASE_URL: address }), address)
				.to.throw(ConfigError, /git\.github\.base_url/)
				.with.property("message")
				.that.does.not.contain("hunter2");
	});
});
