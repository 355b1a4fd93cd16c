/**
 * A client that was written for the contract: it cannot offer the platform's subprotocol, has its token in the URL,
 * grants permissions with `updated_input: {}`, opens a message with `assistant` and takes the content of blocks from
 * deltas only.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { askingTree } from "../../support/agents/asking-tree.ts";
import { type ChatClient, openChat, refusedChat } from "../../support/clients/chat-client.ts";
import { screenOf } from "../../support/clients/contract-screen.ts";
import { eventually } from "../../support/eventually.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** The longest wait of the answer to a stop. */
const waitedMs = 5_000;

/** The sender, and the frame. */
type Said = { readonly client: object } | { readonly pod: object };

/** A recorded turn: thoughts, a command that is permitted and has output, a file, text. */
const recordedTurn: Said[] = JSON.parse(
	readFileSync(join(import.meta.dirname, "../../fixtures/contract-turn.json"), "utf8"),
);

/** Ids and times differ in every turn, so they are replaced by their order. */
function withoutChance(said: readonly Said[]): Said[] {
	const ids = new Map<string, string>();
	const text = JSON.stringify(said)
		.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
			if (!ids.has(id)) ids.set(id, `id ${ids.size + 1}`);
			return ids.get(id) ?? id;
		})
		.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");
	return JSON.parse(text);
}

/** The frames of the pod that were received. */
function heard(said: readonly Said[]): number {
	return said.filter((one) => "pod" in one).length;
}

describe("a client of the contract", function () {
	this.timeout(60_000);
	const users = [{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] }];
	let platform: TestPlatform;
	let api: ApiClient;
	let session: Session & { chat_endpoint: string };
	let client: ChatClient;

	before(async () => {
		platform = await startPlatform({ root: askingTree(), config: { identity: { kwargs: { users } } } });
		api = platform.client({ authorization: "Bearer token-of-alice" });
		const { body } = await api.post<Session>("/sessions", { name: "contract", permission_mode: "ask" });
		await sessionReaches(api, body.id, "running");
		session = (await api.get<typeof session>(`/sessions/${body.id}`)).body;
		client = await openChat(`${session.chat_endpoint}?access_token=token-of-alice`, { dialect: "contract" });
	});
	after(async () => {
		client?.socket.terminate();
		await platform?.[Symbol.asyncDispose]();
	});

	it("repeats a recorded turn frame by frame", async () => {
		const said: Said[] = [];
		const hear = () => said.push(...client.shared.slice(heard(said)).map((pod) => ({ pod })));
		const say = (frame: object) => {
			hear();
			said.push({ client: frame });
			client.say(frame);
		};
		say({ content: "think a bit\nrun make\nwrite kept.txt kept\nsay done" });
		for (let n = 0; n < 2; n++) {
			const { request_id } = await eventually(() => client.all("control_request")[n]);
			const unchanged = { behavior: "allow", updated_input: {}, updated_permissions: [] };
			say({ type: "permission_response", request_id, ...unchanged });
		}
		await client.frame("result");
		hear();
		const turn = withoutChance(said);
		for (const frame of turn) console.log(`      ${JSON.stringify(frame)}`);
		expect(turn).to.deep.equal(recordedTurn);
	});

	it("receives one empty `assistant` frame that opens the message", () => {
		const types = client.shared.map(({ type }) => type);
		expect(types.filter((type) => type === "assistant")).to.have.length(1);
		expect(types.indexOf("assistant")).to.be.below(types.indexOf("content_block_start"));
	});

	it("receives the content of blocks in deltas only, and the tool names it knows", () => {
		expect(screenOf(client.shared)).to.deep.equal([
			{ text: "a bit" },
			{ name: "Bash", text: '{"command":"make"}' },
			{ name: "Edit", text: "{}" },
			{ text: "allow_once\ndone" },
		]);
		expect(client.all("control_request").map(({ tool }) => tool)).to.deep.equal(["Bash", "Edit"]);
		expect(client.all("tool_output").map(({ output }) => output)).to.deep.equal(["half\n"]);
	});

	it("grants permissions with an empty input", () => {
		expect(existsSync(join(platform.workspace(session.id), "kept.txt"))).to.equal(true);
		expect(client.all("error")).to.deep.equal([]);
	});

	it("is authenticated by the token in its URL", async () => {
		// A caller without a token is the developer, for whom this session does not exist.
		expect((await refusedChat(session.chat_endpoint, { dialect: "contract" })).status).to.equal(404);
		const shown = await openChat(`${session.chat_endpoint}?access_token=token-of-alice`, { dialect: "contract" });
		expect((await shown.frame("system")).content).to.include(session.id);
		shown.socket.terminate();
	});

	it("that connects in the middle of a turn receives the part it missed", async () => {
		client.say({ content: "say begun\nhang" });
		await eventually(() => client.all("content_block_delta").some(({ delta }) => Object(delta).text === "begun"));
		const late = await openChat(`${session.chat_endpoint}?access_token=token-of-alice`, { dialect: "contract" });
		const missed = await eventually(() => late.all("content_block_delta")[0] && late.frames);
		expect(screenOf(missed)).to.deep.equal([{ text: "begun" }]);
		late.say({ type: "interrupt" });
		await late.frame("result");
		late.socket.terminate();
	});

	it("finds the sentence of a refused message in the member that it reads", async () => {
		client.say({ type: "chat", content: [{ type: "image" }] });
		const { error, content } = await client.frame("error");
		expect([error, content]).to.deep.equal(Array(2).fill('The agent takes text; a block of type "image" is not'));
	});

	it("is told of a refused control, also of a model, without an error", async () => {
		const seen = client.frames.length;
		for (const frame of [{ type: "rewind_files" }, { type: "set_model", model: "none" }]) client.say(frame);
		await eventually(() => client.frames.slice(seen).filter((frame) => "subtype" in frame).length === 2);
		expect(client.frames.slice(seen).filter(({ type }) => type === "error")).to.deep.equal([]);
	});

	it("can start a session as soon as its stop is answered", async () => {
		for (let n = 0; n < 3; n++) {
			const from = performance.now();
			const { body } = await api.post<Session>(`/sessions/${session.id}/stop`);
			const ms = Math.round(performance.now() - from);
			// A machine that is too busy to end a pod in 5 s answers at that time.
			if (ms >= waitedMs) await sessionReaches(api, session.id, "stopped");
			else expect(body.status).to.equal("stopped");
			const started = await api.post<Session>(`/sessions/${session.id}/start`);
			console.log(`      ${body.status} after ${ms} ms, then ${started.status} ${started.body.status}`);
			expect(started.status).to.equal(200);
			await sessionReaches(api, session.id, "running");
		}
	});
});
