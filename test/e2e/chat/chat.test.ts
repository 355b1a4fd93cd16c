/**
 * The chat of a session through the gateway, on the real platform, with a coding agent that asks.
 * Main: the chat of a session.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { WebSocket } from "ws";
import type { PermissionRequest } from "#shared/contracts/sessions/session-control.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { askingTree } from "../../support/agents/asking-tree.ts";
import {
	type ChatClient,
	type ChatOptions,
	openChat,
	type Refusal,
	refusedChat,
} from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-boss", id: "boss", tenant: "acme", roles: ["admin"] },
];
const alice = { token: "token-of-alice" };
const bob = { token: "token-of-bob" };
const unknownId = "6f1b2c3d-0000-4000-8000-000000000001";

interface View {
	id: string;
	status: string;
	chat_endpoint: string | null;
	activity_state: string;
	activity_metadata: Record<string, unknown>;
}

describe("the chat of a session", function () {
	this.timeout(60_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let id: string;
	let url: string;
	const clients: ChatClient[] = [];

	before(async () => {
		platform = await startPlatform({ root: askingTree(), config: { identity: { kwargs: { users } } } });
		api = platform.client({ authorization: `Bearer ${alice.token}` });
		id = await session();
		url = (await api.get<View>(`/sessions/${id}`)).body.chat_endpoint ?? "";
	});
	after(() => platform?.[Symbol.asyncDispose]());
	afterEach(() => {
		for (const client of clients.splice(0)) client.socket.terminate();
	});

	async function session(permission_mode = "ask"): Promise<string> {
		const { status, body, text } = await api.post<View>("/sessions", { name: "chat", permission_mode });
		expect(status, text).to.equal(201);
		expect(body.chat_endpoint).to.equal(null);
		await sessionReaches(api, body.id, "running");
		return body.id;
	}

	async function open(options: ChatOptions = alice): Promise<ChatClient> {
		const client = await openChat(url, options);
		clients.push(client);
		return client;
	}

	/** The answer to a valid request after anything that happened before. */
	async function expectService(): Promise<void> {
		const client = await open();
		expect((await client.frame("system")).content).to.equal(`Connected to session ${id}`);
		client.socket.terminate();
	}

	async function waiting(): Promise<PermissionRequest> {
		return eventually(async () => (await api.get<PermissionRequest[]>(`/sessions/${id}/permissions`)).body[0]);
	}

	it("has an address only while the session runs", async () => {
		expect(url).to.equal(`${platform.url.replace("http", "ws")}/s/${id}/session`);
		const other = await session("auto");
		const { body } = await api.post<View>(`/sessions/${other}/stop`);
		expect(body.chat_endpoint).to.equal(null);
		await sessionReaches(api, other, "stopped");
		expect((await api.get<View>(`/sessions/${other}`)).body.chat_endpoint).to.equal(null);
		await api.delete(`/sessions/${other}`);
	});

	it("sends a browser and a program the same frames, and carries out the frames of both", async () => {
		const browser = await open({ protocolToken: alice.token, headers: { origin: platform.url } });
		const program = await open();
		expect(browser.socket.protocol).to.equal("atelier.chat");
		browser.say({ content: "say hello\nwrite yes.txt yes\nwrite no.txt no" });
		const first = await program.frame("control_request");
		const { activity_state, activity_metadata } = await eventually(async () => {
			const { body } = await api.get<View>(`/sessions/${id}`);
			return body.activity_metadata["waiting"] === true && body;
		});
		expect([activity_state, activity_metadata["waiting_for"]]).to.deep.equal(["active", "Write yes.txt"]);
		program.say({ type: "permission_response", request_id: first.request_id, behavior: "allow" });
		await eventually(() => browser.all("control_request").length === 2);
		const second = browser.all("control_request")[1];
		browser.say({ type: "permission_response", request_id: second?.request_id, behavior: "deny" });
		await Promise.all([browser.frame("result"), program.frame("result")]);
		expect(browser.shared).to.deep.equal(program.shared);
		expect(browser.shared.length).to.be.above(15);
		const has = (file: string) => existsSync(join(platform.workspace(id), file));
		expect([has("yes.txt"), has("no.txt")]).to.deep.equal([true, false]);
	});

	it("and REST share one state: each sees messages, permissions and interrupts of the other", async () => {
		const client = await open();
		expect((await api.post(`/sessions/${id}/interrupt`)).body).to.deep.equal({ session_id: id, status: "idle" });
		await api.post(`/sessions/${id}/messages`, { content: "write rest.txt rest\nhang" });
		const { request_id } = await waiting();
		expect((await client.frame("control_request")).request_id).to.equal(request_id);
		const path = `/sessions/${id}/permissions/${request_id}`;
		expect((await api.post(path, {})).status).to.equal(400);
		expect((await api.post(path, { option_id: "sudo" })).status).to.equal(400);
		expect((await api.post(path, { behavior: "perhaps" })).status).to.equal(422);
		for (let time = 0; time < 2; time++) {
			const { status, body } = await api.post(path, { behavior: "allow" });
			expect([status, body]).to.deep.equal([200, { request_id, option_id: "allow_once" }]);
		}
		const again = await api.post(path, { behavior: "deny" });
		expect([again.status, again.headers.get("x-error-code")]).to.deep.equal([409, "PERMISSION_ANSWERED"]);
		const unknown = await api.post(`/sessions/${id}/permissions/${unknownId}`, { behavior: "deny" });
		expect([unknown.status, unknown.headers.get("x-error-code")]).to.deep.equal([404, "PERMISSION_NOT_FOUND"]);
		expect((await client.frame("permission_answered")).option_id).to.equal("allow_once");
		await eventually(() => existsSync(join(platform.workspace(id), "rest.txt")));
		const since = performance.now();
		expect((await api.post(`/sessions/${id}/interrupt`)).body).to.include({ status: "interrupted" });
		const took = performance.now() - since;
		console.log(`      interrupted over REST after ${took.toFixed(0)} ms`);
		expect(took).to.be.below(900);
		expect(await client.frame("result")).to.include({ stop_reason: "cancelled" });
	});

	describe("is refused before anything is upgraded", () => {
		const rows: [what: string, status: number, code: string, options: ChatOptions, path?: string][] = [
			["a page from elsewhere", 403, "FOREIGN_ORIGIN", { ...alice, headers: { origin: "https://attacker.example" } }],
			["a name that is not ours", 403, "FOREIGN_HOST", { ...alice, headers: { host: "attacker.example" } }],
			["a token nobody has", 401, "UNAUTHORIZED", { token: "token-of-mallory" }],
			["a subprotocol with such a token", 401, "UNAUTHORIZED", { protocolToken: "token-of-mallory" }],
			["somebody else", 404, "SESSION_NOT_FOUND", bob],
			["an id that does not exist", 404, "SESSION_NOT_FOUND", alice, `/s/${unknownId}/session`],
			["a path that is none", 404, "UNKNOWN_PATH", alice, "/s/session"],
			["a path that is nearly one", 404, "UNKNOWN_PATH", alice, `/s/${unknownId}/session/`],
			["an id in disguise", 404, "UNKNOWN_PATH", alice, `/s/%2e%2e%2f${unknownId}/session`],
			["a token in the URL that nobody has", 401, "UNAUTHORIZED", {}, `/s/${unknownId}/session?access_token=mallory`],
		];
		for (const [what, status, code, options, path] of rows) {
			it(`${what} gets ${status}`, async () => {
				const target = path === undefined ? url : `${platform.url.replace("http", "ws")}${path}`;
				const refusal = await refusedChat(target, options);
				expect([refusal.status, refusal.headers["x-error-code"]]).to.deep.equal([status, code]);
				expect(JSON.parse(refusal.text)).to.have.keys("detail");
				await expectService();
			});
		}

		it("also over REST: another user gets 404, and an administrator can see permission requests but not answer them", async () => {
			const answers = async (name: string): Promise<number[]> => {
				const other = platform.client({ authorization: `Bearer token-of-${name}` });
				const permission = `/sessions/${id}/permissions/${unknownId}`;
				const asked = [
					other.post(`/sessions/${id}/interrupt`),
					other.get(`/sessions/${id}/permissions`),
					other.post(permission, { behavior: "allow" }),
				];
				return (await Promise.all(asked)).map(({ status }) => status);
			};
			expect(await answers("bob")).to.deep.equal([404, 404, 404]);
			expect(await answers("boss")).to.deep.equal([403, 200, 403]);
			expect((await refusedChat(url, { token: "token-of-boss" })).status).to.equal(403);
		});

		it("a pod's own token gets 403", async () => {
			const token = openInstallationKey(platform.dataDir, "").podToken(id, 1);
			expect((await refusedChat(url, { token })).status).to.equal(403);
		});

		it("a stopped session gets 409 that says so, and REST too", async () => {
			const other = await session();
			await api.post(`/sessions/${other}/stop`);
			await sessionReaches(api, other, "stopped");
			const refusal: Refusal = await refusedChat(url.replace(id, other), alice);
			expect([refusal.status, refusal.headers["x-error-code"]]).to.deep.equal([409, "SESSION_NOT_RUNNING"]);
			expect(refusal.text).to.equal(
				`{"detail":"The session is stopped, not running; start it with POST /sessions/${other}/start"}`,
			);
			expect((await api.post(`/sessions/${other}/interrupt`)).status).to.equal(409);
			expect((await api.get(`/sessions/${other}/permissions`)).status).to.equal(409);
			await api.delete(`/sessions/${other}`);
		});

		it("a request without an upgrade gets 426, and an upgrade of another path its plain answer", async () => {
			const plain = await fetch(url.replace("ws", "http"));
			expect([plain.status, plain.headers.get("upgrade")]).to.deep.equal([426, "websocket"]);
			expect((await refusedChat(`${platform.url.replace("http", "ws")}/health`, alice)).status).to.equal(200);
		});

		it("the 17th connection of a session gets 503, until another leaves", async () => {
			// Connections of other tests may still be closing.
			const open16 = await Promise.all(Array.from({ length: 16 }, () => eventually(() => open())));
			expect((await refusedChat(url, alice)).status).to.equal(503);
			open16[0]?.close();
			await eventually(async () => (await open()).socket.readyState === WebSocket.OPEN);
			for (const client of clients.splice(0)) client.socket.terminate();
			await eventually(() => expectService().then(() => true));
		});
	});

	it("closes a client that does not read, while the others go on", async function () {
		this.timeout(120_000);
		const [slow, quick] = await Promise.all([open(), open()]);
		slow.socket.pause();
		// Each message is smaller than the unread bytes that a client may have, so the fast client is not too slow on a
		// busy machine.
		const floods = 20;
		for (let flood = 1; flood <= floods; flood++) {
			quick.say({ content: "flood 2000" });
			await eventually(() => quick.all("result").length === flood, { withinMs: 30_000 });
		}
		for (const result of quick.all("result")) expect(result).to.include({ is_error: false });
		expect(quick.all("content_block_delta")).to.have.length(40_000);
		slow.socket.resume();
		await eventually(() => slow.code !== undefined, { withinMs: 10_000 });
		expect(slow.all("result").length).to.be.below(floods);
		await expectService();
	});

	it("reveals no key: no token is in a log, and no pod's key in a frame or header", async () => {
		const client = await open({ protocolToken: alice.token });
		client.say({ content: "say done" });
		await client.frame("result");
		const key = openInstallationKey(platform.dataDir, "");
		const told = JSON.stringify([client.frames, client.opened]);
		const logs = platform.output + (await api.get(`/sessions/${id}/logs`)).text;
		for (const secret of [key.platformKey(id, 1), key.podToken(id, 1), alice.token, bob.token]) {
			const encoded = Buffer.from(secret).toString("base64url");
			for (const text of [secret, encoded]) {
				expect(told.includes(text), `${text} was told`).to.equal(false);
				expect(logs.includes(text), `${text} was logged`).to.equal(false);
			}
		}
	});

	describe("ends", () => {
		it("when the session stops, and begins anew with the next launch", async () => {
			const client = await open();
			await api.post(`/sessions/${id}/stop`);
			await eventually(() => client.code !== undefined);
			expect(client.code).to.equal(1001);
			await sessionReaches(api, id, "stopped");
			await api.post(`/sessions/${id}/start`, {});
			await sessionReaches(api, id, "running");
			const next = await open();
			expect((await next.frame("conversation_history")).turns).to.have.length.above(3);
		});

		it("when its pod ends in any way", async () => {
			const client = await open();
			for (const { pid } of platform.agents()) process.kill(pid, "SIGKILL");
			await eventually(() => client.code !== undefined);
			expect(client.code).to.equal(1011);
			await sessionReaches(api, id, "failed");
			await api.post(`/sessions/${id}/start`, {});
			await sessionReaches(api, id, "running");
		});

		it("with code 1001 when the platform ends, and the session goes on", async () => {
			const client = await open();
			const agents = platform.agents();
			await platform.processes[0]?.stop();
			await eventually(() => client.code !== undefined);
			expect(client.code).to.equal(1001);
			expect(platform.agents()).to.deep.equal(agents);
		});
	});
});
