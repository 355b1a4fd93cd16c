/** The chat of a session, as a client of the contract shows it. */
import { existsSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { contractChatPath } from "#shared/wire/pod/frames.ts";
import { join } from "node:path";
import { screenOf } from "../../support/clients/contract-screen.ts";
import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { say, shell, turns } from "../../support/model-server/script.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

describe("the output of a command, to a client of the contract", function () {
	this.timeout(60_000);

	it("is in a fence that nothing in it closes, live and in the history", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const client = await pod.connect(contractChatPath);
		const command = "printf '# sample\\n```\\n'; exit 3";
		client.say({ content: `$ ${command}` });
		const { result } = await client.frame("result");
		const fenced = "````\n# sample\n```\n````\nexit code 3";
		expect(screenOf(client.frames)).to.deep.equal([
			{ name: "Bash", text: JSON.stringify({ command }) },
			{ text: fenced },
		]);
		expect(result).to.equal(fenced);
		client.close();

		const next = await pod.connect(contractChatPath);
		const { turns } = await next.frame("conversation_history");
		expect(turns.at(-1)?.content).to.equal(fenced);
		next.close();
	});
});

describe("an answer of a model, to a client of the contract", function () {
	this.timeout(60_000);

	it("has its tokens where the client reads them, and a text also when the agent says nothing", async () => {
		const script = turns({
			talk: [say("done", { fault: { kind: "slow", everyMs: 100 } })],
			work: [shell("true"), say("")],
		});
		await using server = await ModelServer.listen({ script });
		await using session = new TestSession();
		// This wire format tells what a call has read before its first word.
		const endpoints = { anthropic: server.endpoints.anthropic };
		const pod = await session.start({ model_access: server.access({ endpoints }) });
		const client = await pod.connect(contractChatPath);
		client.say({ content: "talk" });
		await client.frame("result");
		const { input, output } = server.billed.total;
		expect(client.all("assistant").map(({ message }) => Object(message).usage?.input_tokens)).to.deep.equal([input]);
		expect(client.all("message_delta").map(({ usage }) => Object(usage).output_tokens)).to.deep.equal([output]);

		client.say({ content: "work" });
		await client.frame("result", client.frames.length);
		expect(client.all("result").map(({ result }) => result)).to.deep.equal(["done", "(The answer has no text.)"]);
		client.close();
	});

	it("goes on when a frame of the client is refused meanwhile", async () => {
		const script = turns({ work: [shell("touch begun; while [ ! -e go ]; do sleep 0.05; done"), say("done")] });
		await using server = await ModelServer.listen({ script });
		await using session = new TestSession();
		const pod = await session.start({ model_access: server.access() });
		const client = await pod.connect(contractChatPath);
		client.say({ content: "work" });
		await eventually(() => existsSync(join(session.workspace, "begun")));
		const refused = [
			{ type: "set_max_thinking_tokens", max_thinking_tokens: 4_000 },
			{ type: "rewind_files" },
			{ type: "user", content: [{ type: "image" }] },
		];
		for (const frame of refused) client.say(frame);
		await eventually(() => client.all("system").filter((frame) => "subtype" in frame).length === refused.length);
		expect(client.all("error")).to.deep.equal([]);
		writeFileSync(join(session.workspace, "go"), "");
		const { result } = await client.frame("result");
		expect(result).to.equal("done");
		client.close();
	});
});
