/** A platform that starts again at another address: running sessions go on and have their new chat address. */
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { openChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { createSession, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("a gateway that has moved", function () {
	this.timeout(90_000);

	it("updates the chat addresses of running sessions and of no other", async () => {
		await using platform = await startPlatform();
		const before = platform.client();
		const { id } = await runningSession(before);
		const { id: gone } = await createSession(before);
		await sessionReaches(before, gone, "running");
		expect((await before.post(`/sessions/${gone}/stop`)).status).to.equal(200);
		await sessionReaches(before, gone, "stopped");
		await platform.stop();

		const port = await freePort();
		platform.processes = [platform.startProcess([], { PORT: String(port) })];
		const api = new ApiClient(`http://127.0.0.1:${port}/api/v1/svc`);
		const read = async () => (await api.get<Session>(`/sessions/${id}`)).body;
		const moved = await eventually(read, { withinMs: 60_000 });
		expect(moved.status).to.equal("running");
		expect(moved.chat_endpoint).to.equal(`ws://127.0.0.1:${port}/s/${id}/session`);
		const client = await openChat(moved.chat_endpoint ?? "", { dialect: "contract" });
		client.say({ content: "$ echo still here" });
		expect(String((await client.frame("result"))["result"])).to.include("still here");
		client.socket.terminate();
		expect((await api.get<Session>(`/sessions/${gone}`)).body.chat_endpoint).to.equal(null);
	});
});
