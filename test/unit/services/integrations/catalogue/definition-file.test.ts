import { expect } from "chai";
import { definitionIn } from "#services/integrations/catalogue/definition-file.ts";

const head = "slug: forge\nname: Forge\nintegration_type: source_control\n";
const credential = "credential_schema:\n  required: [token]\n  properties:\n    token: { label: Token }\n";
const good = `${head}${credential}`;

function faultOf(text: string): string {
	const read = definitionIn("forge.yaml", text);
	return "fault" in read ? read.fault : "";
}

describe("definitionIn()", () => {
	it("fills in what a definition leaves out", () => {
		const read = definitionIn("forge.yaml", good);
		expect("definition" in read && read.definition).to.deep.equal({
			slug: "forge",
			name: "Forge",
			description: "",
			integration_type: "source_control",
			adapter: "",
			icon: "",
			credential_schema: {
				required: ["token"],
				properties: { token: { label: "Token", type: "password", description: "" } },
			},
			env_from_credentials: {},
			file_mounts: {},
			auth_type: "api_key",
		});
	});

	const table: [what: string, text: string, place: string, said: string][] = [
		["an unknown key", `${good}colour: red\n`, "line 8", '"colour" is not a key'],
		["another type", good.replace("source_control", "fridge"), "line 3", '"integration_type"'],
		["a slug that is a path", good.replace("forge", "../forge"), "line 1", '"slug"'],
		["an adapter that is no name", `${good}adapter: "../evil.js"\n`, "line 8", '"adapter": neither a short name'],
		[
			"a variable that chooses code",
			`${good}env_from_credentials: { NODE_OPTIONS: token }\n`,
			"line 8",
			"may not be set",
		],
		[
			"a variable of a field that is not there",
			`${good}env_from_credentials: { A: key }\n`,
			"line 8",
			'no field "key"',
		],
		["a file outside the home", `${good}file_mounts: { /etc/passwd: token }\n`, "line 8", "no file of a session"],
		["a file above the home", `${good}file_mounts: { ~/../x: token }\n`, "line 8", "no file of a session"],
		[
			"a file of the platform itself",
			`${good}file_mounts: { ~/.gitconfig: token }\n`,
			"line 8",
			"no file of a session",
		],
		[
			"an MCP server whose variable may not be set",
			`${good}mcp_server:\n  name: x\n  command: x\n  env_from_credentials: { PATH: token }\n`,
			"line 11",
			"may not be set",
		],
		[
			"a check of something else than a web server",
			`${good}check: { url: "ftp://x", path: /x }\n`,
			"line 8",
			"no http",
		],
		[
			"a check whose path would change the host",
			`${good}check: { url: "https://api.example", path: .evil.example/v1 }\n`,
			"line 8",
			'must begin with "/"',
		],
		[
			"a login at something else than a web server",
			`${good}oauth: { authorize_url: forge.example, token_url: "https://forge.example/token" }\n`,
			"line 8",
			"no http",
		],
		[
			"a git credential of a field that is not there",
			`${good}git_credential: { username: u, field: key, url: https://x }\n`,
			"line 8",
			'no field "key"',
		],
		["a required field that is not there", good.replace("[token]", "[key]"), "line 5", 'no field "key"'],
		[
			"a required setting that is not there",
			`${good}config_schema: { required: [url] }\n`,
			"line 8",
			'no setting "url"',
		],
	];
	for (const [what, text, place, said] of table) {
		it(`refuses ${what}, and names the file, the line and the key`, () => {
			const fault = faultOf(text);
			expect(fault).to.match(/^Integration file "forge\.yaml": /);
			expect(fault).to.contain(place).and.to.contain(said);
		});
	}

	it("refuses a file without a definition, and one with two", () => {
		for (const text of ["", `${good}---\n${good}`]) expect(faultOf(text)).to.contain("one document is needed");
		expect(faultOf("slug: [")).to.match(/^Integration file "forge\.yaml": .*line 1/);
	});
});
