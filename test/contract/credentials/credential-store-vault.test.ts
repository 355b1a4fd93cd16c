/**
 * The suite of credential stores, with a real Vault and the rights that the documents name, and what its secrets look like there.
 * Night: its program takes 4 to 15 minutes to build.
 */
import { expect } from "chai";
import { VaultCredentials } from "#services/credentials/credential-stores/vault.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { failureOf } from "../../support/failure-of.ts";
import { documentedPolicy } from "../../support/vault/documented-policy.ts";
import { VaultServer } from "../../support/vault/vault-server.ts";
import { describeCredentialStore } from "./credential-store.contract.ts";

describe("the credential store of Vault", function () {
	this.timeout(120_000);
	let vault: VaultServer;
	let mount: string;
	let token: string;

	before(async () => {
		vault = await VaultServer.start();
	});
	after(() => vault[Symbol.asyncDispose]());

	async function open(max_per_owner = 5): Promise<VaultCredentials> {
		mount = await vault.makeMount();
		token = await vault.tokenWith(documentedPolicy(mount));
		return new VaultCredentials({ url: vault.url, token, mount, max_per_owner });
	}

	describeCredentialStore("VaultCredentials", open);

	const ada = personOf({ tenant: "default", id: "ada" });
	const api = (token: string) => ({ name: "api", secret_type: "api_key", data: { token }, metadata: {} }) as const;

	it("has each credential at the specification's path, and no value that was replaced", async () => {
		const store = await open();
		await store.put(ada, api("former"));
		await store.put(ada, api("present"));
		const { body } = await vault.ask("GET", `${mount}/data/users/ada/api`);
		expect(body).to.have.nested.property("data.data.token", "present");
		const former = await vault.ask("GET", `${mount}/data/users/ada/api?version=1`);
		expect(JSON.stringify(former)).to.not.contain("former");
	});

	it("leaves nothing of a credential that was deleted", async () => {
		const store = await open();
		await store.put(ada, api("one"));
		await store.delete(ada, "api");
		expect((await vault.ask("LIST", `${mount}/metadata/users`)).status).to.equal(404);
	});

	it("keeps what the last of several writers at the same moment has stored, as a whole", async () => {
		const store = await open();
		const writers = Array.from({ length: 6 }, (_each, index) => index);
		const stored = await Promise.all(
			writers.map((n) => store.put(ada, { ...api(`v${n}`), metadata: { n: String(n) } })),
		);
		expect(new Set(stored.map(({ id }) => id)).size).to.equal(1);
		const entry = await store.get(ada, "api");
		const values = await store.values(ada, ["api"]);
		expect(values.get("api")?.data).to.deep.equal({ token: `v${entry?.metadata["n"]}` });
	});

	it("uses a name again that was deleted, also when another process was killed while it deleted it", async () => {
		const store = await open();
		await store.put(ada, api("one"));
		await store.delete(ada, "api");
		expect(await store.put(ada, api("two"))).to.have.property("name", "api");
		const removed = { data: { __meta__: JSON.stringify({ removed_at: Date.now() - 61_000 }) } };
		await vault.ask("POST", `${mount}/data/users/ada/api`, { ...removed, options: { cas: 1 } });
		expect(await store.get(ada, "api")).to.equal(undefined);
		expect(await store.list(ada)).to.deep.equal([]);
		await store.put(ada, api("three"));
		expect((await store.values(ada, ["api"])).get("api")?.data).to.deep.equal({ token: "three" });
	});

	it("reads a secret that somebody else has written there", async () => {
		const store = await open();
		await vault.ask("POST", `${mount}/data/users/ada/foreign`, { data: { user: "ada", port: 5432 } });
		expect(await store.get(ada, "foreign")).to.deep.include({ name: "foreign", keys: ["port", "user"] });
		expect((await store.values(ada, ["foreign"])).get("foreign")?.data).to.deep.equal({ user: "ada", port: "5432" });
	});

	it("says that credentials cannot be read while Vault is away, refuses a token, or hangs", async () => {
		const store = await open();
		const refused = new VaultCredentials({ url: vault.url, token: "another", mount });
		expect(await failureOf(refused.list(ada))).to.be.an.instanceOf(UnavailableError);
		const away = new VaultCredentials({ url: "http://127.0.0.1:9", token: "x", mount });
		expect(await failureOf(away.list(ada))).to.be.an.instanceOf(UnavailableError);
		vault.pause();
		const hanging = failureOf(store.list(ada));
		expect(await hanging).to.be.an.instanceOf(UnavailableError);
		vault.resume();
		expect(await store.list(ada)).to.deep.equal([]);
	});
});
