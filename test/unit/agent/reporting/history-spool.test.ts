import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { ReportContent } from "#agent/reporting/history-report.ts";
import { HistorySpool, type SpoolLimits } from "#agent/reporting/history-spool.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";

function content(message: string): ReportContent {
	return { logs: [{ timestamp: 1.5, level: "INFO", logger: "test", message }], turns: [] };
}

function turn(id: string, output: string): ConversationTurn {
	const parts = [{ type: "tool", output }];
	return { id, role: "assistant", content: "", parts, created_at: "2026-11-20T20:00:00.000Z", metadata: {} };
}

describe("HistorySpool", () => {
	let folder: string;
	let file: string;
	const opened: HistorySpool[] = [];

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-spool-"));
		file = join(folder, "history.jsonl");
	});
	afterEach(async () => {
		for (const spool of opened.splice(0)) await spool.close().catch(() => {});
		rmSync(folder, { recursive: true });
	});

	/** The spool as the next pod finds it; the earlier one was not closed. */
	async function open(launch: number, limits: Partial<SpoolLimits> = {}): Promise<HistorySpool> {
		const spool = await HistorySpool.open(file, launch, limits);
		opened.push(spool);
		return spool;
	}

	/** The numbers of all reports that wait; they are acknowledged one after the other. */
	async function drain(spool: HistorySpool): Promise<string[]> {
		const seen: string[] = [];
		for (let report = spool.next(); report; report = spool.next()) {
			seen.push(`${report.launch}.${report.n}`);
			await spool.acknowledge(report);
		}
		return seen;
	}

	it("numbers events over all launches, with acknowledgements, kills and closes in between", async () => {
		const event = { event_type: "error", timestamp: "2026-11-20T20:00:00.000Z", data: {} };
		const withEvents = (count: number): ReportContent => ({ logs: [], turns: [], events: Array(count).fill(event) });
		const seen: number[] = [];
		const hear = async (spool: HistorySpool): Promise<void> => {
			const report = spool.next() ?? expect.fail();
			seen.push(...(report.events ?? []).map(({ sequence }) => sequence));
			await spool.acknowledge(report);
		};
		const first = await open(1);
		await first.add([withEvents(2), withEvents(1), content("none")]);
		await hear(first);
		await first.close();
		const killed = await open(2);
		await killed.add([withEvents(3)]);
		const last = await open(3);
		await last.add([withEvents(1)]);
		while (last.next()) await hear(last);
		expect(seen).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
	});

	it("numbers the reports of each launch, with kills in between", async () => {
		const killed = await open(1);
		await killed.add([content("a"), content("b")]);
		const again = await open(1);
		await again.add([content("c")]);
		const next = await open(2);
		await next.add([content("d")]);
		expect(next.newest).to.deep.equal({ launch: 2, n: 1 });
		expect(await drain(next)).to.deep.equal(["1.1", "1.2", "1.3", "2.1"]);
		expect(next.next()).to.equal(undefined);
	});

	it("continues the numbers when everything was acknowledged", async () => {
		const spool = await open(1);
		await spool.add([content("a"), { logs: [], turns: [turn("t", "x")] }]);
		await drain(spool);
		await spool.close();
		expect(readFileSync(file, "utf8")).to.not.include('"report"');
		const again = await open(1);
		expect([again.newest, again.newestTurn]).to.deep.equal([{ launch: 1, n: 2 }, "t"]);
	});

	it("repeats everything that may not have been received", async () => {
		const spool = await open(1);
		await spool.add([content("a"), content("b")]);
		const [first] = [spool.next()];
		if (first) await spool.acknowledge(first);
		expect(await drain(await open(2))).to.deep.equal(["1.1", "1.2"]);
	});

	it("ignores half a line and foreign lines", async () => {
		const spool = await open(1);
		await spool.add([content("a")]);
		appendFileSync(file, 'nonsense\n{"report":{"launch":1,"n":2');
		const again = await open(1);
		await again.add([content("b")]);
		expect(await drain(again)).to.deep.equal(["1.1", "1.2"]);
	});

	it("keeps the file within its bound, and drops the oldest outputs first, with a mark", async () => {
		const limits = { fileBytes: 200_000, waitingBytes: 150_000 };
		const spool = await open(1, limits);
		for (let n = 1; n <= 100; n++) {
			await spool.add([{ ...content(`line ${n}`), turns: [turn(`t${n}`, "o".repeat(10_000))] }]);
			expect(statSync(file).size).to.be.at.most(limits.fileBytes);
		}
		await spool.close();
		const again = await open(1);
		const [first] = [again.next()];
		expect(first?.n, "no report has gone").to.equal(1);
		expect(first?.turns[0]?.parts).to.deep.equal([{ type: "tool", output_dropped: true }]);
		expect(readFileSync(file, "utf8").match(/o{10000}/g)?.length).to.be.within(5, 15);
		expect(await drain(again)).to.have.length(100);
	});
});
