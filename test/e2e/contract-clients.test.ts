/**
 * A client written for the system whose contract we speak: it cannot offer our subprotocol, has its token in the URL, grants
 * permissions with `updated_input: {}`, opens a message with `assistant` and takes what is in blocks from deltas only.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { PodFrame } from "#shared/pod/frames.ts";
import type { ApiClient } from "../support/api-client.ts";
import { askingTree } from "../support/asking-tree.ts";
import { type ChatClient, openChat } from "../support/chat-client.ts";
import { eventually } from "../support/eventually.ts";
import { sessionReaches } from "../support/session-steps.ts";
import { startPlatform, type TestPlatform } from "../support/start-platform.ts";

interface View {
	id: string;
	chat_endpoint: string;
}

type Frame = Record<string, unknown>;

/** What such a client has on its screen: messages of blocks, filled by deltas alone. */
function screenOf(frames: readonly PodFrame[]): { name?: unknown; text: string }[] {
	const blocks: { name?: unknown; text: string }[] = [];
	for (const frame of frames as readonly Frame[]) {
		const index = Number(frame["index"]);
		const { name } = Object(frame["content_block"]) as Frame;
		if (frame["type"] === "content_block_start") blocks[index] = { text: "", ...(name !== undefined && { name }) };
		const { text, thinking, partial_json } = Object(frame["delta"]) as Frame;
		const block = blocks[index];
		const grown = text ?? thinking ?? partial_json;
		if (block && typeof grown === "string") block.text += grown;
	}
	return blocks;
}

describe("a client of the contract", function () {
	this.timeout(60_000);
	const users = [{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] }];
	let platform: TestPlatform;
	let api: ApiClient;
	let session: View;
	let client: ChatClient;

	before(async () => {
		platform = await startPlatform({ root: askingTree(), config: { identity: { kwargs: { users } } } });
		api = platform.client({ authorization: "Bearer token-of-alice" });
		const { body } = await api.post<View>("/sessions", { name: "contract", permission_mode: "ask" });
		await sessionReaches(api, body.id, "running");
		session = (await api.get<View>(`/sessions/${body.id}`)).body;
		client = await openChat(`${session.chat_endpoint}?access_token=token-of-alice`, { dialect: "contract" });
	});
	after(async () => {
		client?.socket.terminate();
		await platform?.[Symbol.asyncDispose]();
	});

	it("sees one whole turn in the order and form it reads", async () => {
		client.say({ content: "think a bit\nrun make\nwrite kept.txt kept\nsay done" });
		for (let n = 0; n < 2; n++) {
			const request = await eventually(() => client.all("control_request")[n]);
			client.say({
				type: "permission_response",
				request_id: request.request_id,
				behavior: "allow",
				updated_input: {},
				updated_permissions: [],
			});
		}
		await client.frame("result");
		const turn = client.shared;
		for (const frame of turn) console.log(`      ${JSON.stringify(frame)}`);

		expect(existsSync(join(platform.workspace(session.id), "kept.txt"))).to.equal(true);
		const types = turn.map(({ type }) => type);
		expect(types.filter((type) => type === "assistant")).to.have.length(1);
		expect(types.indexOf("assistant")).to.be.below(types.indexOf("content_block_start"));
		expect(screenOf(turn)).to.deep.equal([
			{ text: "a bit" },
			{ name: "Bash", text: '{"command":"make"}' },
			{ name: "Edit", text: "{}" },
			{ text: "allow_once\ndone" },
		]);
		expect(client.all("tool_output").map(({ output }) => output)).to.deep.equal(["half\n"]);
		expect(client.all("control_request").map(({ tool }) => tool)).to.deep.equal(["Bash", "Edit"]);
		expect(client.all("error")).to.deep.equal([]);
	});

	it("that comes in the middle of a turn sees what it missed", async () => {
		client.say({ content: "say begun\nhang" });
		await eventually(() => client.all("content_block_delta").some(({ delta }) => Object(delta).text === "begun"));
		const late = await openChat(`${session.chat_endpoint}?access_token=token-of-alice`, { dialect: "contract" });
		const missed = await eventually(() => late.all("content_block_delta")[0] && late.frames);
		expect(screenOf(missed)).to.deep.equal([{ text: "begun" }]);
		late.say({ type: "interrupt" });
		await late.frame("result");
		late.socket.terminate();
	});

	it("is told why in the member it reads", async () => {
		client.say({ type: "rewind_files" });
		const { error, content } = await client.frame("error");
		expect([error, content]).to.deep.equal(Array(2).fill("Files cannot be rewound; the diff shows what has changed"));
	});
});
