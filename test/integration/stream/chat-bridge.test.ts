/**
 * The bridge of the chat by itself, with pods and sessions that misbehave.
 * Long: it waits for the deadlines of the bridge, up to 3 s each.
 */
import { expect } from "chai";
import type { ServiceSchema } from "moleculer";
import { WebSocket } from "ws";
import { implement } from "#shared/bus/service.ts";
import { nextTurn } from "#shared/base/clock.ts";
import { sessionControl } from "#shared/contracts/sessions/session-control.ts";
import { ConflictError, NotFoundError, UnavailableError } from "#shared/base/errors.ts";
import { ChatBridge, type ChatBridgeDependencies } from "#services/stream/chat/chat-bridge.ts";
import { chatService } from "#services/stream/chat.service.ts";
import { type ChatClient, openChat, refusedChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { FakePod } from "../../support/pods/fake-pod.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";

const id = "6f1b2c3d-0000-4000-8000-000000000001";
const alice = { token: "token-of-alice" };
/** Both sides answer a ping in this process: the bound on how long the process may stand still. */
const checkMs = 700;

/** A session that runs in one pod, until the test says otherwise. */
class OneSession {
	pod: FakePod;
	generation = 3;
	failure: Error | undefined;
	/** The number of questions about the session. */
	asked = 0;
	/** The other sessions of alice, in the same pod. */
	readonly others = new Set<string>();
	/** A question about one of the others waits for this. */
	held: Promise<void> | undefined;

	constructor(pod: FakePod) {
		this.pod = pod;
	}

	service(): ServiceSchema {
		const nothing = async (): Promise<never> => {
			throw new NotFoundError("Nothing is here");
		};
		return {
			name: sessionControl.name,
			actions: implement(sessionControl, {
				interrupt: nothing,
				permissions: nothing,
				answer_permission: nothing,
				mode: nothing,
				set_mode: nothing,
				publish: nothing,
				chat: async ({ session_id }, principal) => {
					this.asked++;
					if (principal.id === "alice" && this.others.has(session_id)) {
						await this.held;
						return { generation: 1, address: this.pod.url };
					}
					if (this.failure) throw this.failure;
					if (principal.id !== "alice" || session_id !== id) throw new NotFoundError("No such session");
					return { generation: this.generation, address: this.pod.url };
				},
			}),
		};
	}
}

for (const nodes of [1, 2] as const) {
	describe(`the bridge of the chat, sessions ${nodes === 1 ? "in this process" : "on another node"}`, () => {
		let pod: FakePod;
		let session: OneSession;
		let gateway: TestGateway;
		let bridge: ChatBridge;
		const clients: ChatClient[] = [];

		async function start(options: Partial<ChatBridgeDependencies> = {}): Promise<void> {
			pod = await FakePod.listen();
			session = new OneSession(pod);
			gateway = await startGateway({
				nodes,
				contracts: [],
				services: [session.service()],
				prepare({ key, upgradeHandlers }) {
					bridge = new ChatBridge({ key, ...options });
					upgradeHandlers.set(sessionControl.actions.chat.name, (upgrade) => bridge.open(upgrade));
					return { services: [chatService(bridge)], drain: () => bridge.drain() };
				},
			});
		}

		afterEach(async () => {
			for (const client of clients.splice(0)) client.socket.terminate();
			await gateway.stop();
			await pod[Symbol.asyncDispose]();
		});

		const url = (): string => `ws://${gateway.host}/s/${id}/session`;

		async function open(): Promise<ChatClient> {
			const client = await openChat(url(), alice);
			clients.push(client);
			return client;
		}

		it("shows the pod its key and nothing of the client, and passes frames in both directions", async () => {
			await start();
			const client = await open();
			expect((await client.frame("system")).content).to.equal("fake");
			client.socket.send('{"type":"error","content":"echo"}');
			expect((await client.frame("error")).content).to.equal("echo");
			const key = gateway.platform.key.platformKey(id, 3);
			expect(pod.authorizations).to.deep.equal([`Bearer ${key}`]);
		});

		it("serves other clients between the small frames of one", async () => {
			await start();
			const client = await open();
			await client.frame("system");
			const frames = 2_000;
			let heard = 0;
			for (const socket of pod.sockets) socket.on("message", () => heard++);
			// The frames are sent in one piece, as far as the network allows it.
			for (let n = 0; n < frames; n++) client.socket.send("{}");
			let turns = 0;
			await eventually(async () => {
				while (heard < frames && ++turns % 5_000 !== 0) await nextTurn();
				return heard >= frames;
			});
			expect(turns).to.be.above(frames / 2);
		});

		it("serves other clients between the small frames of a pod", async () => {
			await start();
			const client = await open();
			await client.frame("system");
			const frames = 2_000;
			let heard = 0;
			client.socket.on("message", () => heard++);
			for (const socket of pod.sockets) for (let n = 0; n < frames; n++) socket.send("{}");
			let turns = 0;
			await eventually(async () => {
				while (heard < frames && ++turns % 5_000 !== 0) await nextTurn();
				return heard >= frames;
			});
			expect(turns).to.be.above(frames / 2);
		});

		it("passes on as many frames of a session as its budget has, over all its chats", async () => {
			await start({ frameRate: { frames: 20, bytes: 10_000_000 } });
			let heard = 0;
			for (const client of [await open(), await open()]) client.socket.on("message", () => heard++);
			const began = performance.now();
			const frame = JSON.stringify({ type: "plan", entries: "x".repeat(20_000) });
			for (const socket of pod.sockets) for (let n = 0; n < 100; n++) socket.send(frame);
			await eventually(() => heard >= 60, { withinMs: 20_000 });
			// 20 at once, 20 in a second, and what each of the two connections has already read: up to 8.
			expect((performance.now() - began) / 1_000).to.be.above((60 - 20 - 2 * 8) / 20);
			await eventually(() => heard >= 80, { withinMs: 20_000, what: "the others follow" });
		});

		it("does not send its key to an address that no runtime makes (H9)", async () => {
			await start();
			await using elsewhere = await FakePod.listen("127.0.0.2");
			session.pod = elsewhere;
			expect((await refusedChat(url(), alice)).status).to.equal(502);
			expect(elsewhere.authorizations).to.deep.equal([]);
			expect(elsewhere.connections).to.equal(0);
		});

		it("closes the pod's side when a client leaves, and the client's side when a pod does", async () => {
			await start();
			const [one, other] = await Promise.all([open(), open()]);
			one.close();
			await eventually(() => pod.sockets.size === 1 && bridge.size === 1);
			for (const socket of pod.sockets) socket.close(1009, "Too large");
			await eventually(() => other.code !== undefined && bridge.size === 0);
			expect(other.code).to.equal(1009);
		});

		it("ends when the session has another launch, or none, even if its pod is silent", async () => {
			await start({ checkMs });
			for (const change of [
				() => (session.generation = 4),
				() => (session.failure = new ConflictError("It is stopped", "SESSION_NOT_RUNNING")),
				() => (session.failure = new NotFoundError("It is gone")),
			]) {
				session.failure = undefined;
				const client = await open();
				change();
				await eventually(() => client.code !== undefined);
				expect(client.code).to.equal(1001);
				await eventually(() => pod.sockets.size === 0);
			}
		});

		it("goes on while the state of the session cannot be read", async () => {
			await start({ checkMs });
			const client = await open();
			session.failure = new UnavailableError("Not now");
			expect((await refusedChat(url(), alice)).status).to.equal(503);
			const { asked } = session;
			await eventually(() => session.asked > asked, { what: "the bridge has asked again" });
			client.socket.send('{"type":"error","content":"still there"}');
			await client.frame("error");
			expect(client.code).to.equal(undefined);
		});

		it("ends with a side that does not answer a ping", async () => {
			await start({ checkMs });
			const [client] = [await open(), await open()];
			client.socket.pause();
			await eventually(() => bridge.size === 1 && pod.sockets.size === 1);
		});

		it("answers 502 when the pod is absent or silent, 503 when it has no room", async () => {
			await start();
			pod.manner = "busy";
			expect((await refusedChat(url(), alice)).status).to.equal(503);
			pod.manner = "silent";
			const since = performance.now();
			expect((await refusedChat(url(), alice)).status).to.equal(502);
			expect(performance.now() - since).to.be.below(9_000);
			pod.manner = "kind";
			await pod[Symbol.asyncDispose]();
			const { status, headers } = await refusedChat(url(), alice);
			expect([status, headers["x-error-code"]]).to.deep.equal([502, "POD_UNREACHABLE"]);
			pod = await FakePod.listen();
			session.pod = pod;
			await open();
		});

		it("limits connections over all sessions", async () => {
			await start({ maxClients: 2 });
			await Promise.all([open(), open()]);
			expect((await refusedChat(url(), alice)).status).to.equal(503);
			clients[0]?.close();
			await eventually(async () => (await open()).socket.readyState === WebSocket.OPEN);
		});

		it("checks the sessions concurrently, so that one without an answer delays no other (L11)", async () => {
			await start({ checkMs: 2_000 });
			const slow = Array.from({ length: 4 }, (_one, n) => `6f1b2c3d-0000-4000-8000-00000000001${n}`);
			for (const other of slow) {
				session.others.add(other);
				clients.push(await openChat(`ws://${gateway.host}/s/${other}/session`, alice));
			}
			const client = await open();
			const { promise, resolve } = Promise.withResolvers<void>();
			session.held = promise;
			session.generation++;
			// One after the other, the four would take 20 s.
			await eventually(() => client.code !== undefined, { withinMs: 15_000, what: "its launch is over" });
			expect(client.code).to.equal(1001);
			resolve();
		});

		it("limits the connections of one person (L11)", async () => {
			await start({ maxClientsPerPerson: 2 });
			await Promise.all([open(), open()]);
			const { status, headers } = await refusedChat(url(), alice);
			expect([status, headers["x-error-code"]]).to.deep.equal([429, "TOO_MANY_CHATS"]);
			expect((await refusedChat(url(), { token: "token-of-bob" })).status, "another person").to.equal(404);
		});

		it("leaves no connection at the pod for a client that disconnected meanwhile", async () => {
			await start();
			pod.manner = "silent";
			const gone = new WebSocket(url(), { headers: { authorization: `Bearer ${alice.token}` } });
			gone.on("error", () => {});
			await eventually(() => pod.authorizations.length === 1);
			gone.terminate();
			await eventually(() => pod.connections === 0, { withinMs: 9_000 });
			pod.manner = "kind";
			await open();
			await eventually(() => bridge.size === 1 && pod.sockets.size === 1);
		});
	});
}
