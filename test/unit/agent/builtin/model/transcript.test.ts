import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect } from "chai";
import { type ModelMessage, userMessage } from "#agent/builtin/model/model-message.ts";
import { Transcript } from "#agent/builtin/model/transcript.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("Transcript", () => {
	const folder = useFolder();
	const words = (text: string): SessionUpdate => ({
		sessionUpdate: "user_message_chunk",
		content: { type: "text", text },
	});

	async function loaded(): Promise<{ messages: ModelMessage[]; updates: SessionUpdate[] }> {
		const { transcript, messages, updates } = await Transcript.load(folder(), "s1");
		await transcript.close();
		return { messages, updates };
	}

	it("returns what was added, and what a summary replaced only for people", async () => {
		const transcript = await Transcript.create(folder(), "s1");
		const said = ["a", "b", "c"];
		for (const text of said) await transcript.add(userMessage(text), [words(text)]);
		await transcript.compacted([userMessage("summary"), userMessage("c")]);
		await transcript.add(userMessage("d"), [words("d")]);
		await transcript.close();
		expect(await loaded()).to.deep.equal({
			messages: [userMessage("summary"), userMessage("c"), userMessage("d")],
			updates: [...said, "d"].map(words),
		});
	});

	it("is rewritten with a summary when it is too long", async () => {
		const transcript = await Transcript.create(folder(), "s1");
		const long = "x".repeat(1_048_576);
		for (let n = 0; n < 33; n++) await transcript.add(userMessage(long), [words(long)]);
		await transcript.compacted([userMessage("summary"), userMessage("last")]);
		await transcript.add(userMessage("next"), [words("next")]);
		await transcript.close();
		const [file = ""] = readdirSync(folder());
		expect(statSync(join(folder(), file)).size).to.be.below(1_000);
		expect(await loaded()).to.deep.equal({
			messages: [userMessage("summary"), userMessage("last"), userMessage("next")],
			updates: [words("next")],
		});
	});

	it("loses only itself when it cannot be written", async () => {
		const transcript = await Transcript.create(folder(), "s1");
		await transcript.add(userMessage("a"), []);
		// Every write to a closed file fails.
		await transcript.close();
		const heard: string[] = [];
		const { error } = console;
		console.error = (line: string) => void heard.push(line);
		try {
			await transcript.add(userMessage("b"), []);
			await transcript.compacted([userMessage("c")]);
		} finally {
			console.error = error;
		}
		expect(heard).to.have.length(2);
		expect(heard[0]).to.match(/^The transcript cannot be written: /);
		expect((await loaded()).messages).to.deep.equal([userMessage("a")]);
	});

	it("is absent when it was never written, or its name is invalid", async () => {
		for (const id of ["s2", "../s1", "s1.jsonl", ""]) {
			expect(await failureOf(Transcript.load(folder(), id))).to.be.instanceOf(Error);
		}
		expect(readdirSync(folder())).to.deep.equal([]);
	});
});
