import { expect } from "chai";
import fc from "fast-check";
import { LaunchDocumentError, parseLaunchDocument, readLaunchText } from "#agent/launch-document.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";

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

	const wrong: Partial<Record<keyof LaunchDocument, unknown>> = {
		session_id: "../../etc",
		generation: 1.5,
		installation: "a".repeat(41),
		platform_url: "not a URL",
		platform_key: "",
		pod_token: "short",
		workspace: "relative",
		home: "/a\0b",
		repositories: [{ url: "x" }],
		setup_scripts: [1],
		env: { A: 1 },
		agent: "../builtin",
		model_access: { ...access, prices: { ...access.prices, output: "15" } },
	};
	for (const [field, value] of Object.entries(wrong)) {
		it(`refuses ${JSON.stringify(value)} as "${field}"`, () => {
			expect(refusal(JSON.stringify({ ...document, [field]: value }))).to.contain(`"${field}"`);
		});
	}
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
