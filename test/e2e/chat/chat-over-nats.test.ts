/**
 * The chat of a session whose gateway, sessions service and pods are separate processes.
 * Long: it kills and freezes processes, which are missed after seconds.
 */
import { expect } from "chai";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { askingTree } from "../../support/agents/asking-tree.ts";
import { openChat, refusedChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

const processes = [["gateway", "stream"], storingServices, ["credentials", "pod-manager", "models"]];

interface View {
	id: string;
	chat_endpoint: string;
}

describe("the chat over NATS", function () {
	this.timeout(90_000);
	let nats: NatsServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		nats = await startNatsServer();
		platform = await startPlatform({ root: askingTree(), processes, env: { BUS__URL: nats.url } });
		api = platform.client();
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await nats?.[Symbol.asyncDispose]();
	});

	it("works as in one process, goes on while the sessions process is dead, and answers new clients 503 then", async () => {
		const { body } = await api.post<View>("/sessions", { name: "chat", permission_mode: "ask" });
		await sessionReaches(api, body.id, "running");
		const { chat_endpoint: url } = (await api.get<View>(`/sessions/${body.id}`)).body;
		const { headers } = platform.login;
		const [one, other] = await Promise.all([openChat(url, { headers }), openChat(url, { headers })]);
		one.say({ content: "write a.txt a" });
		const { request_id } = await other.frame("control_request");
		other.say({ type: "permission_response", request_id, behavior: "allow" });
		await Promise.all([one.frame("result"), other.frame("result")]);
		expect(one.shared).to.deep.equal(other.shared);

		await platform.processes[1]?.kill();
		one.say({ content: "say still there" });
		await eventually(() => other.all("result").length === 2);
		expect(other.all("result")[1]).to.include({ result: "still there" });
		const refused = async () => (await refusedChat(url, { headers }).catch(() => undefined))?.status === 503;
		await eventually(refused, { withinMs: 45_000, everyMs: 200, what: "a new chat is refused with 503" });

		platform.processes[1] = platform.startProcess(storingServices);
		await platform.ready();
		const back = await eventually(() => openChat(url, { headers }), { withinMs: 30_000 });
		expect((await back.frame("conversation_history")).turns).to.have.length(4);
		for (const client of [one, other, back]) client.socket.terminate();
	});
});
