/** The suite that every coding agent must pass, in whatever way it is connected. */
import { expect } from "chai";
import type { AgentUpdate, CodingAgent } from "#agent/coding-agents/coding-agent.ts";
import { withoutFence } from "#shared/wire/pod/fenced-output.ts";
import { eventually } from "../support/eventually.ts";

export interface CodingAgentCase {
	/** Opens a new agent with a folder; the suite closes it. */
	open: () => Promise<CodingAgent>;
	/** A message that is answered with exactly `hello`. */
	hello: string;
	/** A message whose turn lasts longer than any test. */
	endless: string;
	/** A message whose turn ends the agent's process. */
	deadly: string;
}

export function describeCodingAgent(name: string, { open, hello, endless, deadly }: CodingAgentCase): void {
	describe(`coding agent: ${name}`, () => {
		let agent: CodingAgent;
		beforeEach(async () => (agent = await open()));
		afterEach(() => agent.close());

		async function say(message: string): Promise<{ stopReason: string; text: string }> {
			const updates: AgentUpdate[] = [];
			const stopReason = await agent.prompt(message, (update) => updates.push(update));
			const text = updates.map((update) => (update.type === "text" ? update.text : "")).join("");
			return { stopReason, text: withoutFence(text) };
		}

		it("has a title", () => expect(agent.title).not.to.equal(""));

		it("answers one message after the other, all updates before the end of the turn", async () => {
			for (let turn = 0; turn < 3; turn++) {
				const { stopReason, text } = await say(hello);
				expect([stopReason, text.trim()]).to.deep.equal(["end_turn", "hello"]);
			}
		});

		it("ends a turn that is cancelled, and goes on", async () => {
			const turn = say(endless);
			const again = setInterval(() => agent.cancel(), 20);
			expect((await turn.finally(() => clearInterval(again))).stopReason).to.equal("cancelled");
			expect((await say(hello)).text.trim()).to.equal("hello");
		});

		it("ignores a cancellation without a turn", async () => {
			agent.cancel();
			expect((await say(hello)).stopReason).to.equal("end_turn");
		});

		it("reports the end of its process, also to a turn that waits", async () => {
			const failure = await say(deadly).catch((error: unknown) => error);
			expect(failure).to.be.instanceOf(Error);
			expect(await agent.ended).to.match(/^The coding agent (ended with exit code \d+|was ended by SIGKILL)/);
		});

		it("closes quickly, also in the middle of a turn", async () => {
			const turn = say(endless).catch(() => "ended");
			const since = performance.now();
			await agent.close();
			await turn;
			// The bound is twice 3 s for an agent that ignores its end, and the delay of a busy machine; a third wait would
			// exceed it.
			expect(performance.now() - since).to.be.below(8_500);
			await eventually(() => agent.ended);
		});
	});
}
