import { expect } from "chai";
import { entryField } from "#services/credentials/store/vault-entry.ts";
import { checkedCredential } from "#services/credentials/types/credential-rules.ts";
import { foreignWarnings } from "#services/credentials/types/credential-variables.ts";
import { BadRequestError, UnprocessableError } from "#shared/base/errors.ts";

const https = ["https", "ssh"];

function errorsOf(secret_type: string, data: Record<string, string>, protocols = https): readonly string[] {
	try {
		checkedCredential({ name: "x", secret_type, data }, protocols);
		return [];
	} catch (error) {
		return error instanceof UnprocessableError ? (error.errors ?? ["no list"]) : [String(error)];
	}
}

describe("checkedCredential()", () => {
	const good: [string, Record<string, string>][] = [
		["api_key", { api_key: "x" }],
		["api_key", { any: "x", empty: "" }],
		["generic", { a: "" }],
		["oauth_token", { access_token: "x" }],
		["git_credential", { url: "https://me:token@git.example" }],
		["git_credential", { url: "https://me:to%2Fken@git.example:8443/org/repo.git" }],
		["ssh_key", { private_key: "x" }],
		["tls_cert", { certificate: "x", private_key: "y" }],
	];
	for (const [type, data] of good)
		it(`takes ${type} with ${Object.keys(data).join(", ")}`, () => expect(errorsOf(type, data)).to.deep.equal([]));

	const bad: [string, Record<string, string>, RegExp][] = [
		["api_key", {}, /At least one field/],
		["api_key", { api_key: "" }, /A key is required/],
		["oauth_token", { access_token: "" }, /"access_token" is required/],
		["oauth_token", { token: "s3cret" }, /"access_token" is required/],
		["ssh_key", {}, /"private_key" is required/],
		["tls_cert", { certificate: "s3cret" }, /"private_key" is required/],
		["git_credential", { token: "s3cret" }, /"url" is required/],
		["generic", { "a b": "s3cret" }, /Field "a b"/],
		["generic", { "": "s3cret" }, /Field ""/],
		["generic", { a: "s3cret\0" }, /NUL/],
	];
	for (const [type, data, sentence] of bad)
		it(`refuses ${type} with ${JSON.stringify(Object.keys(data))}, without its values`, () => {
			const errors = errorsOf(type, data).join("\n");
			expect(errors).to.match(sentence).and.not.to.contain("s3cret");
		});

	for (const url of [
		"git.example",
		"https://git.example",
		"https://me@git.example",
		"https://:s3cret@git.example",
		"http://me:s3cret@git.example",
		"ssh://me:s3cret@git.example",
		"file:///me:s3cret@etc",
		"https://me:s3cret@",
		"https://me:s3cret@git.example\nhttps://me:s3cret@other.example",
		"https://me:s3cret%0aurl=x@git.example",
		"https://me:s3cret%00@git.example",
		"https://me:s3 cret@git.example",
		"https://me:s3cret@git.example?x=1",
		"https://me:s3cret@git.example#x",
		" https://me:s3cret@git.example",
	])
		it(`refuses the URL ${JSON.stringify(url)} and does not repeat it`, () => {
			const errors = errorsOf("git_credential", { url });
			expect(errors).to.have.length(1);
			expect(errors.join()).not.to.contain("s3");
		});

	it("takes http where repositories may be named so", () => {
		expect(errorsOf("git_credential", { url: "http://me:token@127.0.0.1:3000" }, ["https", "http"])).to.deep.equal([]);
	});

	it("refuses an unknown type with 400", () => {
		expect(() => checkedCredential({ name: "x", secret_type: "none", data: { a: "x" } }, https)).to.throw(
			BadRequestError,
		);
	});

	it("refuses the field in which a vault keeps what is known about a credential", () => {
		expect(errorsOf("generic", { [entryField]: "x", a: "b" })).to.deep.equal(['No field may be called "__meta__"']);
	});

	it("refuses more than 50 fields", () => {
		const data = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, "x"]));
		expect(errorsOf("generic", data)).to.deep.equal(["A credential has at most 50 fields"]);
	});

	/** Returns what is wrong with a credential of this name, of a tenant or of a person. */
	function faults(name: string, data: Record<string, string>, isTenants: boolean): readonly string[] {
		try {
			checkedCredential({ name, secret_type: "generic", data }, https, isTenants);
			return [];
		} catch (error) {
			return error instanceof UnprocessableError ? (error.errors ?? ["no list"]) : [String(error)];
		}
	}

	it("refuses what no launch would set, without its values (Q1)", () => {
		for (const [name, field] of [
			["x", "NODE_OPTIONS"],
			["path", "value"],
			["git", "SSH_COMMAND"],
		] as const) {
			const data = field === "SSH_COMMAND" ? { [field]: "s3cret", token: "s3cret" } : { [field]: "s3cret" };
			expect(faults(name, data, false).join(), `${name} ${field}`)
				.to.include(field)
				.and.not.include("s3cret");
		}
		expect(faults("x", { NPM_CONFIG_REGISTRY: "y" }, false), "a person's own one").to.deep.equal([]);
	});

	it("says which fields of a tenant's credential become no variables, because they could be settings (Q1)", () => {
		const told = (field: string): string =>
			foreignWarnings({ name: "registry", secret_type: "generic", fields: ["password", field] }).join();
		for (const field of [
			"NPM_CONFIG_NODE_OPTIONS",
			"ASKPASS",
			"EXEC_PATH",
			"base_url",
			"host",
			"config_registry",
			"OPTS",
		])
			expect(told(field), field).to.include(`"${field}"`);
		for (const field of ["token", "access_key_id", "AWS_SECRET_ACCESS_KEY", "api-token", "username", "email", "port"])
			expect(told(field), field).to.equal("");
		expect(faults("database_url", { value: "x" }, true), "the only field has the credential's name").to.deep.equal([]);
	});
});
