/**
 * The chat of a session without a model, as a client of the contract shows it: it renders all text of an answer as
 * Markdown.
 */
import { expect } from "chai";
import { contractChatPath } from "#shared/pod/frames.ts";
import { screenOf } from "../../support/clients/contract-screen.ts";
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
