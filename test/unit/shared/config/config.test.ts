import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiUrl, ConfigError, inheritedEnvironment, loadConfig } from "#shared/config/config.ts";

/** The values by the whole names of their keys. */
function flat(tree: object, above = ""): Record<string, unknown> {
	const entries = Object.entries(tree).map(([key, value]: [string, unknown]) =>
		typeof value === "object" && value !== null && !Array.isArray(value)
			? flat(value, `${above}${key}.`)
			: { [above + key]: value },
	);
	return Object.assign({}, ...entries) as Record<string, unknown>;
}

describe("loadConfig()", () => {
	let folder: string;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-config-"));
	});
	after(() => rmSync(folder, { recursive: true }));

	function file(content: string): string {
		const path = join(folder, "config.yaml");
		writeFileSync(path, content);
		return path;
	}

	it("has a default for every key", () => {
		const config = loadConfig({});
		expect(config.gateway).to.include({ host: "127.0.0.1", port: 8080, product: "svc" });
		expect(config.pods.on_exit).to.equal("keep");
	});

	it("prefers the environment to the file and the file to the defaults", () => {
		const path = file("gateway: { port: 1, product: one, publicUrl: 'http://a' }\n");
		const config = loadConfig({ ATELIER_CONFIG: path, GATEWAY__PRODUCT: "two", PORT: "3" });
		expect(config.gateway).to.include({ port: 3, product: "two", public_url: "http://a" });
	});

	it("reads typed values from the environment and leaves text in free-form maps alone", () => {
		const config = loadConfig({
			GATEWAY__PORT: "99",
			GIT__ALLOWED_PROTOCOLS: "[https]",
			TEMPLATES__KWARGS__FOLDER: "0123",
		});
		expect(config.gateway.port).to.equal(99);
		expect(config.git.allowed_protocols).to.deep.equal(["https"]);
		expect(config.templates.kwargs).to.deep.equal({ folder: "0123" });
	});

	it("drops the arguments of an adapter that is replaced", () => {
		const config = loadConfig({ TEMPLATES__ADAPTER: "host/storage/storage.ts#Other" });
		expect(config.templates).to.deep.equal({
			adapter: "host/storage/storage.ts#Other",
			kwargs: {},
			secret_kwargs_env: {},
		});
	});

	it("refuses a value in the place of a section, also where another layer sets a key of it", () => {
		for (const text of ["gateway: [1]", "gateway: [ {port: 9000} ]", "gateway: 7", "pods: { runtime: [1] }"]) {
			const env = { ATELIER_CONFIG: file(text), PORT: "3", PODS__RUNTIME__KWARGS__WAITING: "1" };
			expect(() => loadConfig(env), text).to.throw(ConfigError, "allowed is a map of keys");
		}
	});

	it("leaves variables of other programs alone", () => {
		expect(loadConfig({ __PROTO__X: "1", UNRELATED__THING: "x" })).to.deep.equal(loadConfig({}));
	});

	it("refuses a variable of a section that no key has, and names the nearest one", () => {
		const sentence =
			'The environment variable "GATEWAY__PROT" names no key of the configuration; did you mean "GATEWAY__PORT"?';
		expect(() => loadConfig({ GATEWAY__PROT: "9000" })).to.throw(ConfigError, sentence);
	});

	const wrong: Record<string, [string, RegExp]> = {
		"an unknown key": [
			"gateway: { prot: 1 }",
			/Unknown configuration key "gateway\.prot" in the file ".*config\.yaml"; did you mean "port"\? Allowed here: host, port/,
		],
		"an unknown section": [
			"gatway: {}",
			/Unknown configuration key "gatway" in the file ".*config\.yaml"; did you mean "gateway"\?/,
		],
		"a value of the wrong type": [
			"gateway: { port: many }",
			/Configuration key "gateway\.port" in the file ".*config\.yaml" cannot be "many"/,
		],
		"a value that is not allowed": [
			"pods: { on_exit: maybe }",
			/"pods\.on_exit" in the file ".*config\.yaml" cannot be "maybe".*keep.*stop/,
		],
		"an unknown key in a list": [
			"mcp_servers: [{ name: a, type: stdio, cmd: x }]",
			/Unknown configuration key "mcp_servers\.0\.cmd" in the file ".*"; allowed here: name, type/,
		],
		"a value in a list that is not allowed": [
			"mcp_servers: [{ name: a, type: pipe }]",
			/"mcp_servers\.0\.type" in the file ".*config\.yaml" cannot be "pipe".*stdio/,
		],
		"a variable that is no text, without its value": [
			"mcp_servers: [{ name: a, type: stdio, env: { KEY: 271828 } }]",
			/"mcp_servers\.0\.env\.KEY" in the file ".*config\.yaml" cannot be "\*\*\*"/,
		],
		"broken YAML": ["gateway: [", /Cannot read the configuration file ".*config\.yaml"/],
		"a list where keys belong": ["- a", /must hold a map of keys/],
	};

	for (const [what, [content, sentence]] of Object.entries(wrong)) {
		it(`ends the start with a sentence for ${what}`, () => {
			expect(() => loadConfig({ ATELIER_CONFIG: file(content) })).to.throw(ConfigError, sentence);
		});
	}

	const secret = "hunter2";
	const unreadable: Record<string, [string, RegExp]> = {
		"a quote that is not closed": [`bus:\n  password: "${secret}\n`, /missing char at line \d+, column \d+$/],
		"a key that is there twice": [`bus:\n  password: ${secret}\n  password: ${secret}\n`, /duplicate key at line 3/],
		"a tab": [`bus:\n\tpassword: ${secret}\n`, /tab as indent at line 2/],
		"a value that is an alias": [`bus: { password: *${secret} }\n`, /an alias/],
		"a value that is a tag": [`bus: { password: !${secret} }\n`, /tag resolve failed at line 1/],
	};

	for (const [what, [content, sentence]] of Object.entries(unreadable)) {
		it(`repeats no secret of a file with ${what}`, () => {
			const { message } = failureOf(() => loadConfig({ ATELIER_CONFIG: file(content) }));
			expect(message).to.match(sentence).and.not.include(secret);
		});
	}

	it("repeats no secret of a variable that cannot be read, and names it", () => {
		const env = { IDENTITY__KWARGS: `{ users: [{ token: "${secret} }] }` };
		expect(failureOf(() => loadConfig(env)).message)
			.to.include('the environment variable "IDENTITY__KWARGS"')
			.and.not.include(secret);
		expect(failureOf(() => loadConfig({ BUS__URL: `user:${secret}@host` })).message).not.to.include(secret);
	});

	it("names the variable and not the file when both have the key, and no file for a value of neither", () => {
		const both = { ATELIER_CONFIG: file("pods: { on_exit: keep }\n"), PODS__ON_EXIT: "maybe" };
		expect(failureOf(() => loadConfig(both)).message).to.include(
			'"pods.on_exit" (environment variable PODS__ON_EXIT) cannot',
		);
		const whole = { GATEWAY__ALLOWED_HOSTS: "[7]" };
		expect(failureOf(() => loadConfig(whole)).message).to.include(
			'"gateway.allowed_hosts.0" (environment variable GATEWAY__ALLOWED_HOSTS) cannot be 7',
		);
	});

	it("ends the start with a sentence for a wrong short form", () => {
		for (const PORT of ["abc", "0x1", "1e3"])
			expect(failureOf(() => loadConfig({ PORT })).message).to.equal(
				`Configuration key "gateway.port" (environment variable PORT) cannot be "${PORT}": allowed is a whole number from 0 to 65535`,
			);
	});

	it("says what ATELIER_URL has to be, and takes the address of a platform", () => {
		for (const ATELIER_URL of ["127.0.0.1:8080", "localhost", "ftp://atelier.example"])
			expect(failureOf(() => apiUrl({ ATELIER_URL })).message).to.equal(
				`The variable ATELIER_URL must be the address of a platform, such as http://127.0.0.1:8080, and not "${ATELIER_URL}"`,
			);
		expect(apiUrl({ ATELIER_URL: "https://atelier.example/" })).to.equal("https://atelier.example/api/v1/svc");
	});

	it("ends the start with the key, the variable, the value and what is allowed, for each kind of value", () => {
		for (const [variable, value, sentence] of [
			["GATEWAY__PORT", "abc", /"gateway\.port" \(environment variable GATEWAY__PORT\) cannot be "abc": .* from 0 to/],
			["LINEAR__ENABLED", "perhaps", /"linear\.enabled".*LINEAR__ENABLED.*"perhaps": allowed is true or false/],
			["PODS__ON_EXIT", "maybe", /"pods\.on_exit".*PODS__ON_EXIT.*"maybe": allowed is one of keep, stop/],
			[
				"GATEWAY__ALLOWED_HOSTS",
				"7",
				/"gateway\.allowed_hosts".*cannot be 7: allowed is a list.*, written as \[a, b\]$/,
			],
			["STORE__KWARGS", "7", /"store\.kwargs".*cannot be 7: allowed is a map of keys/],
			[
				"IDENTITY__ADAPTER",
				"token",
				/cannot be "token": .*e\.g\. `services\/gateway\/identity-providers\/token\.ts#TokenIdentity`/,
			],
			["STORE__ADAPTER", "mongo", /"store\.adapter".*cannot be "mongo": allowed is a text of this form: Module/],
		] as const)
			expect(() => loadConfig({ [variable]: value }), variable).to.throw(ConfigError, sentence);
	});

	const adapterKeys = Object.keys(flat(loadConfig({}))).filter((key) => /(^|[._])adapter$/.test(key));
	for (const key of adapterKeys)
		it(`ends the start with a sentence for a file that "${key}" names and that does not exist`, () => {
			const variable = key.toUpperCase().replaceAll(".", "__");
			const value = "shared/store/mongo.ts#Mongo";
			expect(failureOf(() => loadConfig({ [variable]: value })).message).to.equal(
				`Configuration key "${key}" cannot be "${value}": the project has no file "shared/store/mongo.ts"; did you mean "shared/store/mongodb-store.ts"? (docs/configuration.md names the adapters)`,
			);
		});
});

function failureOf(attempt: () => unknown): ConfigError {
	try {
		attempt();
	} catch (error) {
		if (error instanceof ConfigError) return error;
		throw error;
	}
	throw new Error("Nothing was thrown");
}

describe("inheritedEnvironment()", () => {
	it("shows where programs and the person's ssh agent are, and no secret", () => {
		const env = {
			PATH: "/bin",
			SSH_AUTH_SOCK: "/run/agent",
			HOME: "/home/ada",
			API_KEY: "x",
			NODE_OPTIONS: "-r evil",
			LD_PRELOAD: "x",
		};
		expect(inheritedEnvironment(env)).to.deep.equal({ PATH: "/bin", SSH_AUTH_SOCK: "/run/agent" });
	});
});
