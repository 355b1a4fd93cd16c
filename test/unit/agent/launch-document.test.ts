import { expect } from "chai";
import fc from "fast-check";
import { LaunchDocumentError, parseLaunchDocument, readLaunchText } from "#agent/launch-document.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";

const document: LaunchDocument = {
	session_id: "2f70a1de-4b5c-4d6e-8f90-a1b2c3d4e5f6",
	generation: 1,
	installation: "0123456789abcdef",
	proof: "proof",
	platform_url: "http://127.0.0.1:8080/api/v1/svc",
	pod_token: "svcs_canary-token-0123456789",
	platform_key: "canary-key-0123456789",
	status_file: "/run/status.json",
	workspace: "/srv/workspace",
	state: "/srv/state",
	home: "/run/home",
	git_home: "",
	name: "fix-login",
	model: "",
	repositories: [{ url: "", branch: "main", base_branch: "", path: "" }],
	setup_scripts: ["npm ci"],
	working_folder: "",
	system_prompt: "",
	initial_prompt: "",
	env: { STAGE: "test" },
	agent: "builtin",
	mcp_servers: [],
	permission_mode: "auto",
	git_protocols: ["https"],
};
const access = {
	provider: "p",
	location: "cloud",
	model: "m",
	endpoints: {},
	key: "",
	context_window: 1_024,
	prices: { input: 3, output: 15, cache_read: 1, cache_write: 4 },
} as const;
const server = { name: "s", type: "stdio", command: "s", args: [], env: {}, url: "", headers: {} } as const;
const text = JSON.stringify(document);

function refusal(input: string): string {
	try {
		parseLaunchDocument(input);
		return "";
	} catch (error) {
		expect(error).to.be.instanceOf(LaunchDocumentError);
		return (error as Error).message;
	}
}

describe("parseLaunchDocument()", () => {
	it("reads a complete document", () => expect(parseLaunchDocument(text)).to.deep.equal(document));

	it("reads what the model costs", () => {
		const priced = { ...document, model_access: access };
		expect(parseLaunchDocument(JSON.stringify(priced))).to.deep.equal(priced);
	});

	it("refuses every document that is cut off, without repeating a word of it", () => {
		fc.assert(
			fc.property(fc.nat({ max: text.length - 1 }), (length) => {
				expect(refusal(text.slice(0, length)))
					.to.match(/^Cannot .*[^.]$/)
					.and.not.to.contain("canary");
			}),
		);
	});

	for (const field of Object.keys(document)) {
		it(`refuses a document without "${field}"`, () => {
			expect(refusal(JSON.stringify({ ...document, [field]: undefined }))).to.contain(`"${field}"`);
		});
	}

	const wrong: [path: string, change: Partial<Record<keyof LaunchDocument, unknown>>][] = [
		["session_id", { session_id: "../../etc" }],
		["generation", { generation: 1.5 }],
		["generation", { generation: -1 }],
		["installation", { installation: "a".repeat(41) }],
		["platform_url", { platform_url: "not a URL" }],
		["platform_key", { platform_key: "" }],
		["pod_token", { pod_token: "short" }],
		["workspace", { workspace: "relative" }],
		["home", { home: "/a\0b" }],
		["git_home", { git_home: "relative" }],
		["agents", { agents: "relative" }],
		["repositories.0.branch", { repositories: [{ url: "x", base_branch: "", path: "" }] }],
		["setup_scripts.0", { setup_scripts: [1] }],
		["env.A", { env: { A: 1 } }],
		["agent", { agent: "../builtin" }],
		["permission_mode", { permission_mode: "never" }],
		["mcp_servers.0.type", { mcp_servers: [{ ...server, type: "sse" }] }],
		["mcp_servers.0.env.A", { mcp_servers: [{ ...server, env: { A: 1 } }] }],
		["mcp_servers.0.env", { mcp_servers: [{ ...server, env: { A: null } }] }],
		["model_access", { model_access: null }],
		["model_access.prices.output", { model_access: { ...access, prices: { ...access.prices, output: "15" } } }],
		["model_access.endpoints.anthropic", { model_access: { ...access, endpoints: { anthropic: 1 } } }],
		["model_refusal.wires.0", { model_refusal: { model: "m", reason: "r", wires: ["telepathy"] } }],
		["lifeline_ms", { lifeline_ms: 0 }],
	];
	for (const [path, change] of wrong) {
		it(`refuses ${JSON.stringify(change)} and names "${path}"`, () => {
			expect(refusal(JSON.stringify({ ...document, ...change })))
				.to.match(/: "([\w.]+)"$/)
				.and.to.contain(`"${path}"`);
		});
	}

	it("names the first three fields that are wrong, and repeats no value", () => {
		const broken = { ...document, name: 1, model: { canary: 1 }, env: "canary", pod_token: "canary" };
		const sentence = refusal(JSON.stringify(broken));
		expect(sentence.match(/"/g)).to.have.length(6);
		expect(sentence).to.contain('"name", "model"').and.not.to.contain("canary");
	});

	it("drops members that the schema does not have", () => {
		expect(parseLaunchDocument(JSON.stringify({ ...document, secret: "canary" }))).to.deep.equal(document);
	});
});

describe("readLaunchText()", () => {
	async function* chunks(count: number): AsyncGenerator<Buffer> {
		for (let sent = 0; sent < count; sent++) yield Buffer.alloc(1_048_576, " ");
	}

	it("stops reading after 2 MB", async () => {
		const failure = await readLaunchText(chunks(10_000)).catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(LaunchDocumentError);
	});
});
