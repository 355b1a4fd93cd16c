import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Conversation, type ConversationLimits, QueueFullError } from "#agent/conversation/conversation.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";

function answerTo(question: string, content = `answer to ${question}`): ConversationTurn {
	return {
		id: `${question}-answer`,
		role: "assistant",
		content,
		parts: [],
		created_at: "2026-11-20T20:00:00.000Z",
		metadata: { in_reply_to: question, stop_reason: "end_turn" },
	};
}

describe("Conversation", () => {
	let folder: string;
	let open: Conversation[];
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-conversation-"));
		open = [];
	});
	afterEach(async () => {
		for (const conversation of open) await conversation.close();
		rmSync(folder, { recursive: true });
	});

	async function opened(limits: Partial<ConversationLimits> = {}): Promise<Conversation> {
		const conversation = await Conversation.open(join(folder, "conversation.jsonl"), limits);
		open.push(conversation);
		return conversation;
	}

	const ids = ({ turns }: Conversation): string[] => turns.map(({ id }) => id);

	it("has a message on disk when it says so", async () => {
		const conversation = await opened();
		await conversation.ask("m1", "hello");
		expect(readFileSync(join(folder, "conversation.jsonl"), "utf8")).to.contain('"content":"hello"');
	});

	it("recognises a repeated message, at once and after a restart, answered or not", async () => {
		const conversation = await opened();
		await Promise.all([conversation.ask("m1", "hello"), conversation.ask("m1", "hello")]);
		await conversation.ask("m1", "other words");
		await conversation.ask("m2", "second");
		await conversation.start("m1");
		await conversation.answer(answerTo("m1"));
		const next = await opened();
		await next.ask("m1", "hello");
		await next.ask("m2", "second");
		expect(ids(next)).to.deep.equal(["m1", "m2", "m1-answer"]);
		expect(next.next()?.id).to.equal("m2");
	});

	it("gives the oldest message without an answer", async () => {
		const conversation = await opened();
		await conversation.ask("m1", "first");
		await conversation.ask("m2", "second");
		expect(conversation.next()?.content).to.equal("first");
		await conversation.answer(answerTo("m1"));
		expect(conversation.next()?.content).to.equal("second");
		await conversation.answer(answerTo("m2"));
		expect(conversation.next()).to.equal(undefined);
	});

	it("marks the turn that was under way as interrupted, once, and never runs it again", async () => {
		const conversation = await opened();
		await conversation.ask("m1", "first");
		await conversation.ask("m2", "second");
		await conversation.start("m1");
		const next = await opened();
		expect(next.next()?.id).to.equal("m2");
		const [mark] = next.turns.filter(({ role }) => role === "assistant");
		expect(mark?.metadata).to.deep.equal({ in_reply_to: "m1", stop_reason: "interrupted" });
		expect(ids(await opened())).to.deep.equal(ids(next));
	});

	it("accepts no more messages than its limit, including those on their way to the disk", async () => {
		const conversation = await opened({ waiting: 3 });
		const outcomes = await Promise.allSettled(["m1", "m2", "m3", "m4"].map((id) => conversation.ask(id, id)));
		expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
		const refused = await conversation.ask("m5", "m5").catch((error: unknown) => error);
		expect(refused).to.be.instanceOf(QueueFullError);
		await conversation.ask("m1", "m1");
		await conversation.answer(answerTo("m1"));
		await conversation.ask("m4", "m4");
		expect(ids(conversation)).to.deep.equal(["m1", "m2", "m3", "m1-answer", "m4"]);
	});

	it("forgets its oldest turns, but not their ids, and never a message that waits", async () => {
		const limits = { retainedBytes: 10_000 };
		const conversation = await opened(limits);
		for (let turn = 1; turn <= 30; turn++) {
			await conversation.ask(`m${turn}`, "x".repeat(500));
			await conversation.start(`m${turn}`);
			await conversation.answer(answerTo(`m${turn}`, "y".repeat(1_000)));
		}
		await conversation.ask("waiting", "z");
		for (const each of [conversation, await opened(limits)]) {
			expect(JSON.stringify(each.turns).length).to.be.below(10_500);
			expect(each.turns.length).to.be.greaterThan(4);
			await each.ask("m1", "again");
			expect(ids(each)).not.to.include("m1");
			expect(each.next()?.id).to.equal("waiting");
		}
	});

	it("rewrites its file before it gets too large, and loses no message", async () => {
		const limits = { retainedBytes: 2_000 };
		const conversation = await opened(limits);
		await conversation.ask("m0", "first");
		for (let turn = 0; turn < 40; turn++) {
			await conversation.start(`m${turn}`);
			const meanwhile = conversation.ask(`m${turn + 1}`, "next");
			await conversation.answer(answerTo(`m${turn}`, "y".repeat(900)));
			await meanwhile;
		}
		expect(readFileSync(join(folder, "conversation.jsonl")).length).to.be.below(5 * 2_000);
		const next = await opened(limits);
		expect(next.next()?.id).to.equal("m40");
		await next.ask("m3", "again");
		expect(ids(next)).to.deep.equal(ids(conversation));
	});
});
