import { expect } from "chai";
import type { GitProvider, RepositoryPlace } from "#services/git/providers/git-provider.ts";
import { ProviderMaker } from "#services/git/providers/provider-maker.ts";
import { ProviderRegistry } from "#services/git/providers/provider-registry.ts";
import { BadRequestError, NotFoundError, UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const maker = new ProviderMaker({
	send: async () => {
		throw new UpstreamError("Nobody is asked here", "UPSTREAM_UNREACHABLE");
	},
});
const person = { kind: "user", id: "ada", tenant: "t", roles: ["developer"] } as const;

function github(name: string, orgs: string[] = [], base_url?: string): Promise<GitProvider> {
	return maker.make("github", { name, base_url, token: "t", orgs, isConfigured: true });
}

async function registryOf(configured: Promise<GitProvider>[], own: Promise<GitProvider>[] = []) {
	const mine = await Promise.all(own);
	return new ProviderRegistry(await Promise.all(configured), async ({ id }) => (id === "ada" ? mine : []));
}

describe("ProviderRegistry", () => {
	it("asks the caller's own connections first, then the configuration, each in its order", async () => {
		const registry = await registryOf([github("shared"), github("second")], [github("mine"), github("older")]);
		expect((await registry.providersFor(person)).map(({ name }) => name)).to.deep.equal([
			"mine",
			"older",
			"shared",
			"second",
		]);
		const found = await registry.find(person, "git@github.com:org/repo.git");
		expect(found).to.deep.include({ place: { owner: "org", name: "repo" }, isOwn: true });
		expect(found.provider.name).to.equal("mine");
		const other = await registry.find({ ...person, id: "bob" }, "org/repo");
		expect([other.provider.name, other.isOwn]).to.deep.equal(["shared", false]);
	});

	it("gives all forms of a URL one name, with the port of the host, and `org/repo` that of its GitHub", async () => {
		const hosts = [github("hosted"), github("work", [], "https://ghe.example:8443/api/v3")];
		const registry = await registryOf(hosts);
		const name = async (url: string) => (await registry.find(person, url)).repo;
		for (const url of [
			"https://github.com/Org/Repo.git",
			"git@github.com:org/repo",
			"org/REPO",
			"github.com/org/repo/",
		])
			expect(await name(url), url).to.equal("github.com/org/repo");
		expect(await name("git@ghe.example:org/repo.git")).to.equal("ghe.example:8443/org/repo");
		expect(registry.repoOf("https://github.com/Org/Repo")).to.equal("github.com/org/repo");
		expect(registry.repoOf("https://other.example/org/repo")).to.equal(undefined);
	});

	/** A connection that sees one organization. */
	async function seeing(name: string, org: string, orgs: string[] = []): Promise<GitProvider> {
		const made = await github(name, orgs);
		return Object.assign(made, {
			async repository({ owner }: RepositoryPlace) {
				if (owner !== org) throw new NotFoundError("hidden");
			},
		});
	}

	it("asks that of several own connections which sees the repository", async () => {
		const registry = await registryOf([], [seeing("private", "ada"), seeing("work", "acme"), seeing("old", "acme")]);
		const named = async (url: string) => (await registry.find(person, url)).provider.name;
		expect(await named("ada/site")).to.equal("private");
		expect(await named("acme/shop")).to.equal("work");
		expect(await named("nobody/sees"), "the first one says why").to.equal("private");
	});

	it("prefers the own connection that names the organization", async () => {
		const registry = await registryOf([], [seeing("newer", "acme"), seeing("named", "acme", ["Acme"])]);
		expect((await registry.find(person, "acme/shop", "write")).provider.name).to.equal("named");
	});

	it("finds the provider by its host", async () => {
		const registry = await registryOf([github("hosted"), github("work", [], "https://ghe.example/api/v3")]);
		const named = async (url: string) => (await registry.find(person, url)).provider.name;
		expect(await named("https://ghe.example/org/repo")).to.equal("work");
		expect(await named("https://github.com/org/repo")).to.equal("hosted");
		expect(await named("org/repo")).to.equal("hosted");
	});

	it("lends the token of the configuration for its organizations only, and for writing only when they are named", async () => {
		const open = await registryOf([github("open")]);
		const bound = await registryOf([github("bound", ["Acme"])]);
		expect((await open.find(person, "any/repo")).provider.name).to.equal("open");
		expect((await bound.find(person, "acme/repo", "write")).provider.name).to.equal("bound");
		for (const attempt of [
			open.find(person, "any/repo", "write"),
			bound.find(person, "acme2/repo"),
			bound.find(person, "any/x"),
		])
			expect(await failureOf(attempt)).to.be.instanceOf(BadRequestError);
	});

	it("lends a person's own token for everything that it can reach", async () => {
		const registry = await registryOf([], [github("mine", ["acme"])]);
		expect((await registry.find(person, "other/repo", "write")).isOwn).to.equal(true);
	});

	it("names the host, and never a credential, when nobody serves a repository", async () => {
		const registry = await registryOf([github("hosted", ["acme"])]);
		for (const [url, word] of [
			["https://evil.example/o/r", '"evil.example"'],
			["other/repo", '"github.com" does not serve organization "other"'],
			["https://user:secret@github.com/acme/repo", "cannot be read"],
			["nonsense", "cannot be read; write it as https://<host>/<owner>/<name>"],
			["file:///srv/repo", "A repository on this machine has no git provider, and so no pull requests"],
			["/srv/repo", "A repository on this machine has no git provider"],
		] as const) {
			const error = await failureOf(registry.find(person, url));
			expect(error).to.include({ code: 400, type: "NO_PROVIDER" });
			expect(String(error)).to.contain(word).and.not.contain("secret");
		}
	});
});

describe("ProviderMaker", () => {
	const credential = { token: "ghp_1" };

	it("makes a provider of a connection, whose organizations may be a list with commas", async () => {
		const config = { name: "mine", base_url: "https://ghe.example/api/v3", orgs: "a, b,,c " };
		const made = await maker.ofConnection({ adapter: "github", config, credential });
		expect(made).to.deep.include({ name: "mine", type: "github", host: "ghe.example", orgs: ["a", "b", "c"] });
		expect(made.gitCredential()).to.deep.equal({ username: "x-access-token", password: "ghp_1" });
		expect((await maker.ofConnection({ adapter: "github", config: {}, credential })).host).to.equal("github.com");
	});

	it("refuses an address that is no URL", async () => {
		const attempt = maker.ofConnection({ adapter: "github", config: { base_url: "ghe.example" }, credential });
		expect(await failureOf(attempt)).to.be.instanceOf(UnprocessableError);
	});
});
