/** The chat of a pod whose built-in agent has a model: real permissions, interrupts and figures. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { edit, say, shell, turns } from "../../support/model-server/script.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

describe("the chat of a pod with a model", function () {
	this.timeout(45_000);

	it("writes only what a person permits, and reports the tokens of the turn", async () => {
		const script = turns({
			first: [edit("notes.txt", "new\n"), say("I was told no")],
			second: [edit("notes.txt", "new\n"), say("written")],
		});
		await using server = await ModelServer.listen({ script });
		await using session = new TestSession();
		const pod = await session.start({ model_access: server.access(), permission_mode: "ask" });
		const client = await pod.connect();
		const notes = join(session.workspace, "notes.txt");

		client.say({ content: "first" });
		const refused = await client.frame("control_request");
		expect(refused.title).to.include("notes.txt");
		client.say({ type: "permission_response", request_id: refused.request_id, behavior: "deny" });
		const result = await client.frame("result");
		expect(result["result"]).to.include("I was told no");
		const { input, output, cache_read, cache_write } = server.billed.total;
		expect(result["usage"]).to.deep.equal({
			input_tokens: input,
			output_tokens: output,
			cache_read_input_tokens: cache_read,
			cache_creation_input_tokens: cache_write,
		});
		expect(existsSync(notes)).to.equal(false);

		const seen = client.frames.length;
		client.say({ content: "second" });
		const allowed = await client.frame("control_request", seen);
		client.say({ type: "permission_response", request_id: allowed.request_id, behavior: "allow" });
		await client.frame("result", seen);
		expect(readFileSync(notes, "utf8")).to.equal("new\n");
		expect(server.problems).to.deep.equal([]);
	});

	it("is interrupted in the middle of a command, and of the model's answer", async () => {
		const script = turns({
			command: [shell("touch begun; sleep 60; touch done"), say("done")],
			words: [say("one two three four", { fault: { kind: "slow", everyMs: 2_000 } })],
		});
		await using server = await ModelServer.listen({ script });
		await using session = new TestSession();
		const pod = await session.start({ model_access: server.access() });
		const client = await pod.connect();
		for (const content of ["command", "words"]) {
			const seen = client.frames.length;
			client.say({ content });
			const isUnderWay = (): boolean =>
				content === "command"
					? existsSync(join(session.workspace, "begun"))
					: client.frames.slice(seen).some(({ type }) => type === "content_block_delta");
			await eventually(isUnderWay, { withinMs: 15_000 });
			const since = performance.now();
			client.say({ type: "interrupt" });
			const { stop_reason } = await client.frame("result", seen);
			const took = performance.now() - since;
			console.log(`      ${content} interrupted after ${took.toFixed(0)} ms`);
			expect([stop_reason, took < 3_000]).to.deep.equal(["cancelled", true]);
		}
		expect(existsSync(join(session.workspace, "done"))).to.equal(false);
	});
});
