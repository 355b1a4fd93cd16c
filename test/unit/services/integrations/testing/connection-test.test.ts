import { expect } from "chai";
import { join } from "node:path";
import { Catalogue } from "#services/integrations/catalogue/catalogue.ts";
import { ConnectionTests, type Probe } from "#services/integrations/testing/connection-test.ts";
import type { Connection } from "#shared/contracts/integrations/integrations.ts";
import { UpstreamError } from "#shared/base/errors.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const alice = { tenant: "acme", id: "alice" };
const bob = { tenant: "acme", id: "bob" };
const secret = "canary-of-a-test";

const connection: Connection = {
	id: "1",
	integration_type: "source_control",
	adapter: "github",
	credential_name: "gh",
	config: { orgs: "acme" },
	enabled: true,
	created_at: "",
	updated_at: "",
	slug: "github",
};

describe("ConnectionTests", () => {
	let logged: string[];
	let tests: ConnectionTests;

	beforeEach(() => {
		logged = [];
		const log = { error: (sentence: string) => logged.push(sentence) };
		tests = new ConnectionTests(new Catalogue([join(projectRoot, "config/integrations")], log), log);
	});

	const read = async () => [
		{ name: "gh", secret_type: "oauth_token" as const, data: { token: secret, refresh_token: "withheld" } },
	];
	const account = { user: "ada", workspace: "acme" };

	it("give the adapter what it needs, and not what makes new tokens", async () => {
		let asked: unknown;
		const probe: Probe = async ({ definition, ...rest }) => {
			asked = { slug: definition.slug, ...rest };
			return account;
		};
		const outcome = await tests.test(alice, connection, read, probe);
		expect(outcome).to.deep.equal({ success: true, provider: "github", ...account, error: null });
		expect(asked).to.deep.equal({ slug: "github", config: { orgs: "acme" }, credential: { token: secret } });
	});

	it("mask secrets that a server repeats, and cut what it says", async () => {
		const probe = () => Promise.reject(new UpstreamError(`No such key ${secret}: ${"x".repeat(1_000)}`));
		const { success, error } = await tests.test(alice, connection, read, probe);
		expect(success).to.equal(false);
		expect(error)
			.to.match(/^No such key \*\*\*: x+$/)
			.and.to.have.length(500);
	});

	it("say nothing of failures that are no sentence for people, which the log has", async () => {
		const probe = () => Promise.reject(new TypeError(`x is not a function: ${secret}`));
		const { error } = await tests.test(alice, connection, read, probe);
		expect(error).to.equal("The test failed; the log of the platform says more");
		expect(logged).to.have.length(1);
	});

	it("name the class of an adapter that is a module, and the entry of one without an adapter", async () => {
		const named = async (changes: Partial<Connection>) =>
			(await tests.test(alice, { ...connection, ...changes }, read, async () => account)).provider;
		expect(await named({ adapter: "services/git/git-providers/forge.ts#Forge" })).to.equal("Forge");
		expect(await named({ adapter: "" })).to.equal("github");
	});

	it("refuse connections whose entry is gone, or has another type now", async () => {
		for (const changes of [{ slug: "gone" }, { integration_type: "messaging" as const }]) {
			const { success, error } = await tests.test(alice, { ...connection, ...changes }, read, async () => account);
			expect(success).to.equal(false);
			expect(error).to.contain("any more");
		}
	});

	it("are one at a time for a person, and do not keep others waiting", async () => {
		const open = Promise.withResolvers<typeof account>();
		const first = tests.test(alice, connection, read, () => open.promise);
		expect((await tests.test(alice, connection, read, async () => account)).success).to.equal(false);
		expect((await tests.test(bob, connection, read, async () => account)).success).to.equal(true);
		open.resolve(account);
		expect((await first).success).to.equal(true);
		expect((await tests.test(alice, connection, read, async () => account)).success).to.equal(true);
	});
});
