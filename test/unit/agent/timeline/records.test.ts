import { expect } from "chai";
import fc from "fast-check";
import {
	answerRecords,
	callRecords,
	commitRecords,
	errorRecords,
	fileRecords,
	firstLine,
	messageRecords,
} from "#agent/timeline/records.ts";
import type { TimelineRecord } from "#agent/timeline/timeline-log.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { historyReport, maxReportEntries, maxReportEvents } from "#shared/contracts/sessions/history.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";

const at = "2026-01-01T00:00:00.000Z";

function turn(content: string, metadata: Record<string, unknown> = {}): ConversationTurn {
	return { id: "t", role: "assistant", content, parts: [], created_at: at, metadata };
}

/** The entries and events by their type. */
function kindsOf(records: readonly TimelineRecord[]): string[] {
	return records.map((record) =>
		"entry" in record ? `entry ${record.entry.type}` : `event ${record.event.event_type}`,
	);
}

const entryOf = (records: readonly TimelineRecord[]) =>
	records.map((record) => ("entry" in record ? record.entry : undefined)).find((entry) => entry);

describe("the records of what happens", () => {
	it("are an entry and an event each, except for messages of a person and tools that are no commands", () => {
		const call = { kind: "read", title: "a.ts", hasFailed: false, durationMs: 5 };
		const table: [records: TimelineRecord[], kinds: string[]][] = [
			[messageRecords(turn("Hello"), at), ["event message_user"]],
			[answerRecords(turn("Done"), 1, at), ["entry message", "event message_assistant"]],
			[errorRecords("No", "turn", at), ["entry error", "event error"]],
			[callRecords(call, at), ["event tool_use"]],
			[callRecords({ ...call, kind: "execute" }, at), ["event tool_use", "entry terminal", "event terminal_command"]],
			[callRecords({ ...call, command: "ls" }, at), ["event tool_use", "entry terminal", "event terminal_command"]],
			[commitRecords([{ hash: "a".repeat(40), subject: "One", at, files: 2 }], at), ["entry git", "event git_commit"]],
		];
		for (const [records, kinds] of table) expect(kindsOf(records)).to.deep.equal(kinds);
	});

	it("report a failed turn before its answer", () => {
		const records = answerRecords(turn("", { error: "The model is away" }), 3, at);
		expect(kindsOf(records)).to.deep.equal(["entry error", "event error", "entry message", "event message_assistant"]);
		expect(records[2]).to.deep.equal({ entry: { at, type: "message", label: "Turn 3" } });
	});

	it("have the tokens of a turn if they are counted", () => {
		const tokens = { input: 1, output: 2, cache_read: 4, cache_write: 8 };
		const [entry, event] = answerRecords(turn("x"), 1, at, tokens);
		expect(entry).to.deep.nested.include({ "entry.tokens": 15 });
		expect(event).to.deep.nested.include({ "event.tokens_in": 13, "event.tokens_out": 2 });
		expect(entryOf(answerRecords(turn("x"), 1, at))).not.to.have.property("tokens");
	});

	it("have an exit code, or at least the success of a command", () => {
		const call = { kind: "execute", title: "ls", hasFailed: true, durationMs: 5 };
		const exit = (more: object) => entryOf(callRecords({ ...call, ...more }, at))?.exit;
		expect([exit({}), exit({ hasFailed: false }), exit({ exitCode: 7 })]).to.deep.equal([1, 0, 7]);
	});

	it("name 200 changed files of one look, and how many more there are", () => {
		const file = { path: "a", status: "new", ins: 1, del: 0 } as const;
		const files = (count: number) =>
			fileRecords(
				Array.from({ length: count }, () => file),
				at,
			);
		expect(files(200)).to.have.length(400);
		expect(files(203)).to.have.length(401);
		expect(files(203).at(-1)).to.deep.equal({ entry: { at, type: "session", label: "3 more files have changed" } });
	});

	it("have lines only for a changed file, and the end of a path that is too long", () => {
		const tell = (status: "new" | "mod" | "del", path = "a") => fileRecords([{ path, status, ins: 3, del: 2 }], at);
		expect(tell("mod")[1]).to.deep.nested.include({ "event.data": { path: "a", insertions: 3, deletions: 2 } });
		for (const status of ["new", "del"] as const)
			expect(tell(status)[1]).to.deep.nested.include({ "event.data": { path: "a" } });
		expect(entryOf(tell("new", `${"x".repeat(2_000)}/end`))?.label).to.match(/^x{1020}\/end$/);
	});

	it("fit a report of the contract, with any texts", () => {
		const check = compileSchema(historyReport);
		const text = fc.string({ unit: "binary", maxLength: 3_000 });
		const path = fc.string({ minLength: 1, maxLength: 3_000 });
		fc.assert(
			fc.property(text, path, fc.integer(), (said, name, exitCode) => {
				const records = [
					...messageRecords(turn(said), at),
					...answerRecords(turn(said, { error: said, stop_reason: said }), 1, at),
					...callRecords({ kind: said, title: said, command: said, exitCode, hasFailed: false, durationMs: 1 }, at),
					...fileRecords([{ path: name, status: "mod", ins: 0, del: 0 }], at),
					...commitRecords([{ hash: "a".repeat(64), subject: said, at, files: 0 }], at),
				];
				const timeline = records.flatMap((record) => ("entry" in record ? [record.entry] : []));
				const events = records.flatMap((record, sequence) =>
					"event" in record ? [{ ...record.event, sequence }] : [],
				);
				expect(timeline.length).to.be.at.most(maxReportEntries);
				expect(events.length).to.be.at.most(maxReportEvents);
				expect(check({ n: 1, timeline, events })).to.deep.equal([]);
			}),
		);
	});
});

describe("firstLine()", () => {
	const table: [text: string, line: string][] = [
		["one\ntwo", "one"],
		["\n \r\n  two  \n", "two"],
		["", "fallback"],
		[" \n", "fallback"],
		["x".repeat(300), "x".repeat(200)],
	];
	for (const [text, line] of table) {
		it(`of ${JSON.stringify(text.slice(0, 20))} is ${JSON.stringify(line.slice(0, 20))}`, () => {
			expect(firstLine(text, "fallback")).to.equal(line);
		});
	}
});
