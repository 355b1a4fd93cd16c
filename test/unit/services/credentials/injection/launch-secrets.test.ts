import { expect } from "chai";
import { MemoryCredentials } from "#services/credentials/credential-stores/memory.ts";
import { FileInjection } from "#services/credentials/secret-injections/file.ts";
import { LaunchSecrets } from "#services/credentials/injection/launch-secrets.ts";
import { type CredentialOwner, personOf, tenantOf } from "#services/credentials/store/credential-owner.ts";
import type { CredentialStore } from "#services/credentials/store/credential-store.ts";
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { SecretType } from "#shared/contracts/credentials/secret-types.ts";

const person = { tenant: "acme", owner: "alice" };
const alice = personOf({ tenant: "acme", id: "alice" });
const pem = "-----BEGIN KEY-----\nx\n-----END KEY-----";

describe("LaunchSecrets", () => {
	let store: MemoryCredentials;
	let secrets: LaunchSecrets;

	beforeEach(() => {
		store = new MemoryCredentials();
		secrets = new LaunchSecrets(store, new FileInjection({ store, protocols: ["https"] }));
	});

	type Made = readonly [name: string, type: SecretType, data: Record<string, string>];

	async function make(owner: CredentialOwner, ...made: readonly Made[]): Promise<void> {
		for (const [name, secret_type, data] of made) await store.put(owner, { name, secret_type, data, metadata: {} });
	}

	/** Prepares what a session gets that is made now. */
	async function prepare(...names: string[]) {
		const { tenant: ofTenant } = await secrets.whose(person, names);
		return secrets.prepare(person, "session", { names, ofTenant });
	}

	it("names a variable after the credential, and several after their fields", async () => {
		await make(
			alice,
			["npm-token", "api_key", { token: "one" }],
			["two_of", "generic", { "a.b": "x", "c-d": "y" }],
			["login", "oauth_token", { access_token: "z", refresh_token: "withheld", client_secret: "withheld" }],
		);
		const { variables, warnings } = await prepare("npm-token", "two_of", "login");
		expect(variables).to.deep.equal({ NPM_TOKEN: "one", TWO_OF_A_B: "x", TWO_OF_C_D: "y", LOGIN_ACCESS_TOKEN: "z" });
		expect(warnings).to.deep.equal([]);
	});

	it("puts files in the places of their types, and those of a second one beside them", async () => {
		await make(
			alice,
			["one", "ssh_key", { private_key: pem, public_key: "p", known_hosts: "k1", passphrase: "not mapped" }],
			["two", "ssh_key", { private_key: `${pem}\n`, known_hosts: "k2" }],
			["cert", "tls_cert", { certificate: "c", private_key: "k" }],
			["other", "tls_cert", { certificate: "c2", private_key: "k2" }],
		);
		const { files, variables } = await prepare("one", "two", "cert", "other");
		expect(variables).to.deep.equal({});
		expect(files.map(({ root, path, content }) => [`${root}/${path}`, content])).to.deep.equal([
			["home/.ssh/known_hosts", "k1"],
			["home/.ssh/id_rsa", `${pem}\n`],
			["home/.ssh/id_rsa.pub", "p"],
			["home/.ssh/two.known_hosts", "k2"],
			["home/.ssh/two", `${pem}\n`],
			["secrets/tls/certificate", "c"],
			["secrets/tls/private_key", "k"],
			["secrets/tls/other/certificate", "c2"],
			["secrets/tls/other/private_key", "k2"],
		]);
	});

	it("gives git one line for each host's credential, percent-encoded", async () => {
		await make(alice, ["git", "git_credential", { url: "https://me:to'k%2Fen@git.example/" }]);
		const { git_credentials, files, variables } = await prepare("git");
		expect(git_credentials).to.deep.equal(["https://me:to'k%2Fen@git.example"]);
		expect([files, variables]).to.deep.equal([[], {}]);
	});

	it("prefers the person's own credential, falls back to the tenant's, and knows nobody else's", async () => {
		await make(tenantOf("acme"), ["both", "generic", { t: "tenant" }], ["shared", "generic", { t: "tenant" }]);
		await make(alice, ["both", "generic", { t: "hers" }]);
		await make(personOf({ tenant: "acme", id: "bob" }), ["bobs", "generic", { t: "his" }]);
		await make(tenantOf("other"), ["foreign", "generic", { t: "foreign" }]);
		const { variables, warnings } = await prepare("both", "shared", "bobs", "foreign");
		expect(variables).to.deep.equal({ BOTH: "hers", SHARED: "tenant" });
		expect(warnings).to.deep.equal(['credential "bobs" does not exist', 'credential "foreign" does not exist']);
		expect(await secrets.whose(person, ["both", "shared", "bobs", "bobs"])).to.deep.equal({
			tenant: ["shared"],
			missing: ["bobs"],
		});
	});

	it("gives a session the credentials that it named, and no other one in their place (Q1)", async () => {
		await make(tenantOf("acme"), ["shared", "generic", { t: "tenant" }]);
		const names = ["hers", "shared", "none"];
		await make(alice, ["hers", "generic", { t: "hers" }]);
		const { tenant: ofTenant } = await secrets.whose(person, names);
		expect(ofTenant).to.deep.equal(["shared"]);
		await store.delete(alice, "hers");
		await make(tenantOf("acme"), ["hers", "generic", { t: "mal's" }], ["none", "generic", { t: "mal's" }]);
		await make(alice, ["shared", "generic", { t: "hers, later" }]);
		const { variables, warnings } = await secrets.prepare(person, "session", { names, ofTenant });
		expect(variables).to.deep.equal({ SHARED: "tenant" });
		expect(warnings).to.deep.equal(['credential "hers" does not exist', 'credential "none" does not exist']);
	});

	it("sets no variable that a field of the tenant's credential names, and says so (Q1)", async () => {
		const data = { token: "t", NPM_CONFIG_NODE_OPTIONS: "--import=data:x", GIT_ASKPASS: "x", API_KEY: "k" };
		await make(tenantOf("acme"), ["registry", "generic", data], ["git", "generic", { ASKPASS: "x", token: "t" }]);
		const { variables, warnings } = await prepare("registry", "git");
		expect(variables).to.deep.equal({ REGISTRY_TOKEN: "t", REGISTRY_API_KEY: "k", GIT_TOKEN: "t" });
		expect(warnings).to.have.length(3);
		await make(alice, ["registry", "generic", data]);
		expect((await prepare("registry")).variables, "her own one").to.include({
			NPM_CONFIG_NODE_OPTIONS: data.NPM_CONFIG_NODE_OPTIONS,
		});
	});

	it("warns of what it leaves out, and never of a value", async () => {
		await make(
			alice,
			["path", "generic", { x: "s3cret" }],
			["ld_preload", "generic", { x: "s3cret" }],
			["1st", "generic", { x: "s3cret" }],
			["a-b", "generic", { x: "s3cret" }],
			["a_b", "generic", { x: "s3cret2" }],
			["old", "git_credential", { url: "http://me:s3cret@git.example" }],
		);
		const { variables, git_credentials, warnings } = await prepare("path", "ld_preload", "1st", "a-b", "a_b", "old");
		expect(variables).to.deep.equal({ A_B: "s3cret" });
		expect(git_credentials).to.deep.equal([]);
		expect(warnings).to.have.length(5);
		expect(warnings.join()).not.to.contain("s3cret");
	});

	/** Maps the field `token` of a credential as a definition of an integration does. */
	function mapping(credential_name: string, changes: Partial<LaunchMapping> = {}): LaunchMapping {
		const nothing = { variables: {}, files: {}, git_hosts: [], mcp_servers: [] };
		return { source: 'integration "forge"', credential_name, ...nothing, ...changes };
	}

	it("maps credentials of connections as their definitions say, beside those that the session names", async () => {
		await make(alice, ["forge", "generic", { token: "a/'b" }], ["named", "generic", { t: "n" }]);
		const forge = mapping("forge", {
			variables: { FORGE_TOKEN: "token", OTHER: "none" },
			files: { "~/.forge": "token" },
			git_hosts: [{ url: "https://forge.example:8443", username: "x-access-token", field: "token" }],
			mcp_servers: [{ name: "forge", command: "npx", args: ["-y"], env: { T: "token", NODE_OPTIONS: "token" } }],
		});
		expect(
			await secrets.prepare(person, "session", { names: ["named"], ofTenant: [] }, [forge, mapping("gone")]),
		).to.deep.equal({
			variables: { NAMED: "n", FORGE_TOKEN: "a/'b" },
			files: [{ root: "home", path: ".forge", content: "a/'b" }],
			git_credentials: ["https://x-access-token:a%2F'b@forge.example:8443"],
			mcp_servers: [{ name: "forge", command: "npx", args: ["-y"], env: { T: "a/'b" } }],
			warnings: [
				'integration "forge": credential "gone" does not exist',
				'integration "forge": credential "forge": the variable "NODE_OPTIONS" of the MCP server "forge" may not be set',
			],
		});
	});

	it("gives what two connections compete for to the first", async () => {
		await make(alice, ["new", "generic", { token: "n" }], ["old", "generic", { token: "o" }]);
		const wanted = {
			variables: { T: "token" },
			files: { "~/f": "token" },
			mcp_servers: [{ name: "m", command: "c", args: [], env: { T: "token" } }],
		};
		const both = [mapping("new", wanted), mapping("old", wanted)];
		const {
			variables,
			files,
			mcp_servers = [],
			warnings,
		} = await secrets.prepare(person, "session", { names: [], ofTenant: [] }, both);
		expect(variables).to.deep.equal({ T: "n" });
		expect(files.map(({ content }) => content)).to.deep.equal(["n"]);
		expect(mcp_servers.map(({ env }) => env)).to.deep.equal([{ T: "n" }]);
		expect(warnings).to.have.length(3);
	});

	it("gives no pod a field with which new tokens can be made, whatever a definition says", async () => {
		await make(alice, ["login", "oauth_token", { access_token: "a", refresh_token: "withheld" }]);
		const greedy = mapping("login", {
			variables: { A: "access_token", R: "refresh_token" },
			files: { "~/r": "refresh_token" },
			git_hosts: [{ url: "https://forge.example", username: "u", field: "refresh_token" }],
			mcp_servers: [{ name: "m", command: "c", args: [], env: { R: "refresh_token" } }],
		});
		const prepared = await secrets.prepare(person, "session", { names: [], ofTenant: [] }, [greedy]);
		expect(prepared.variables).to.deep.equal({ A: "a" });
		expect(JSON.stringify(prepared)).not.to.contain("withheld");
	});

	it("tells the platform's own services values of the person and of the tenant, and of nobody else", async () => {
		await make(tenantOf("acme"), ["both", "generic", { t: "tenant" }], ["shared", "generic", { t: "tenant" }]);
		await make(alice, ["both", "api_key", { t: "hers" }]);
		await make(personOf({ tenant: "acme", id: "bob" }), ["bobs", "generic", { t: "his" }]);
		const values = await secrets.values(person, ["both", "both", "shared", "bobs", "none"]);
		expect(values).to.have.deep.members([
			{ name: "both", secret_type: "api_key", data: { t: "hers" } },
			{ name: "shared", secret_type: "generic", data: { t: "tenant" } },
		]);
	});

	it("reads the credentials of each owner once, however many the launch names", async () => {
		const names = Array.from({ length: 30 }, (_, index) => `name-${index}`);
		for (const [index, name] of names.entries())
			await make(index % 2 === 0 ? alice : tenantOf("acme"), [name, "generic", { t: name }]);
		let reads = 0;
		const counted: CredentialStore = {
			list: (owner) => (reads++, store.list(owner)),
			get: (owner, name) => (reads++, store.get(owner, name)),
			values: (owner, asked) => (reads++, store.values(owner, asked)),
			put: (owner, credential) => store.put(owner, credential),
			delete: (owner, name) => store.delete(owner, name),
			owners: () => store.owners(),
			adopt: (owner, credential) => store.adopt(owner, credential),
		};
		secrets = new LaunchSecrets(counted, new FileInjection({ store: counted, protocols: ["https"] }));
		const ofTenant = names.filter((_name, index) => index % 2 === 1);
		const { variables } = await secrets.prepare(person, "session", { names, ofTenant });
		expect(Object.keys(variables)).to.have.length(30);
		expect(reads).to.equal(4);
		expect((await secrets.whose(person, [...names, "none"])).missing).to.deep.equal(["none"]);
		expect(reads).to.equal(6);
	});

	it("leaves out what does not fit into a launch document", async () => {
		const data = { x: "x".repeat(32_000) };
		const names = Array.from({ length: 20 }, (_, index) => `big-${index}`);
		for (const name of names) await make(alice, [name, "generic", data]);
		const prepared = await prepare(...names);
		expect(Object.keys(prepared.variables)).to.have.length(12);
		expect(prepared.warnings).to.have.length(8);
		expect(JSON.stringify(prepared).length).to.be.below(500_000);
	});
});
