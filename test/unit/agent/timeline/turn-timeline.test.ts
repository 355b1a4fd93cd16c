import { expect } from "chai";
import { TimelineLog } from "#agent/timeline/timeline-log.ts";
import { TurnTimeline } from "#agent/timeline/turn-timeline.ts";
import type { Changes } from "#agent/timeline/workspace-watch.ts";
import type { ToolUpdate } from "#agent/coding-agents/coding-agent.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";
import { eventually } from "../../../support/eventually.ts";

const changes: Changes = { files: [{ path: "a.ts", status: "new", ins: 1, del: 0 }], commits: [] };

function turn(content: string, metadata: Record<string, unknown> = {}): ConversationTurn {
	return { id: content, role: "user", content, parts: [], created_at: "2026-11-21T10:00:00Z", metadata };
}

function call(id: string, kind = "execute"): ToolUpdate {
	return { type: "tool", id, kind, title: id, command: id, status: "completed", exit_code: 0 };
}

describe("TurnTimeline", () => {
	let log: TimelineLog;
	let looks: (() => void)[];
	let metered: TokenCounts | undefined;
	let ready: PromiseWithResolvers<void>;
	let timeline: TurnTimeline;

	beforeEach(() => {
		log = new TimelineLog();
		looks = [];
		metered = undefined;
		ready = Promise.withResolvers();
		const look = () => new Promise<Changes>((resolve) => looks.push(() => resolve(changes)));
		timeline = new TurnTimeline({ log, look, ready: ready.promise, metered: () => metered });
	});

	function entries(): string[] {
		return log.after(0).flatMap((record) => ("entry" in record ? [`${record.entry.type} ${record.entry.label}`] : []));
	}

	function events(): string[] {
		return log.after(0).flatMap((record) => ("event" in record ? [record.event.event_type] : []));
	}

	it("keeps the order of commands, files and answers with slow looks", async () => {
		ready.resolve();
		timeline.began(turn("do it"));
		timeline.updated(call("make"));
		await eventually(() => looks.length === 1);
		timeline.updated(call("make test"));
		timeline.ended(turn("Done.\nReally."));
		expect(entries()).to.deep.equal(["terminal make"]);
		looks[0]?.();
		await eventually(() => looks.length === 2);
		looks[1]?.();
		await eventually(() => entries().length === 5);
		expect(entries()).to.deep.equal(["terminal make", "file a.ts", "terminal make test", "file a.ts", "message Done."]);
		const called = ["tool_use", "terminal_command", "file_created"];
		expect(events()).to.deep.equal(["message_user", ...called, ...called, "message_assistant"]);
		expect(looks, "one look for what came together").to.have.length(2);
	});

	it("tells that nobody made a choice of the agent", async () => {
		timeline.unanswered('Nobody answered "Red or blue?" within 900 s: "Skip" was answered');
		await eventually(() => entries().length === 1);
		expect(entries()).to.deep.equal(['session Nobody answered "Red or blue?" within 900 s: "Skip" was answered']);
	});

	it("looks once for what changes in quick succession, and at once when the pod ends", async () => {
		ready.resolve();
		timeline.began(turn("do it"));
		timeline.updated(call("make"));
		await eventually(() => entries().includes("terminal make"));
		timeline.updated(call("make test"));
		await eventually(() => looks.length === 1);
		looks[0]?.();
		await eventually(() => entries().includes("terminal make test"));
		const ended = timeline.end();
		await eventually(() => looks.length === 2, { withinMs: 200, what: "the last look" });
		looks[1]?.();
		await ended;
		expect(entries()).to.deep.equal(["terminal make", "file a.ts", "terminal make test", "file a.ts"]);
	});

	it("does not look after tools that only read", async () => {
		ready.resolve();
		timeline.began(turn("read it"));
		const { command: _none, ...reading } = call("cat", "read");
		timeline.updated(reading);
		await eventually(() => events().length === 2);
		expect([looks.length, entries()]).to.deep.equal([0, []]);
	});

	it("has the tokens of a message that were metered since it began", async () => {
		ready.resolve();
		metered = { ...noTokens, input: 100, output: 5 };
		timeline.began(turn("think"));
		metered = { input: 150, output: 25, cache_read: 10, cache_write: 1 };
		timeline.ended(turn(""));
		await eventually(() => looks.length === 1);
		looks[0]?.();
		await eventually(() => entries().length === 2);
		const records = log.after(0);
		expect(records).to.deep.include.members([records.find((one) => "entry" in one && one.entry.tokens === 81)]);
		const answer = records.find((one) => "event" in one && one.event.event_type === "message_assistant");
		expect(answer).to.have.nested.include({ "event.tokens_in": 61, "event.tokens_out": 20 });
		expect(entries()[1], "an answer without words").to.equal("message Turn 1");
	});

	it("records an error of a turn", async () => {
		ready.resolve();
		timeline.began(turn("fail"));
		timeline.ended(turn("", { stop_reason: "error", error: "Out of\ncredit" }));
		await eventually(() => looks.length === 1);
		looks[0]?.();
		await eventually(() => entries().includes("error Out of"));
		expect(events()).to.include("error");
	});

	it("delays turns until the first look, but not when the pod ends", async () => {
		let passed = 0;
		const never = new AbortController();
		void timeline.pass(turn("first"), never.signal).then(() => passed++);
		await Promise.resolve();
		expect(passed).to.equal(0);
		ready.resolve();
		await eventually(() => passed === 1);

		const other = new TurnTimeline({
			log,
			look: async () => changes,
			ready: new Promise(() => {}),
			metered: () => metered,
		});
		const ending = new AbortController();
		const passing = other.pass(turn("second"), ending.signal);
		ending.abort();
		await passing;
	});
});
