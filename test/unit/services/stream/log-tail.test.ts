import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import type { LogEntry, LogHead } from "#shared/contracts/event-log.ts";
import { Audience } from "#services/stream/audience.ts";
import { LogTail } from "#services/stream/log-tail.ts";
import type { TailEntry } from "#services/stream/retained-entries.ts";
import type { EventPosition } from "#services/stream/event-ids.ts";
import { testIds } from "../../../support/clients/test-ids.ts";
import { eventually } from "../../../support/eventually.ts";
import { failureOf } from "../../../support/failure-of.ts";

const everybody = new Audience({ kind: "user", id: "root", tenant: "acme", roles: ["admin"] });
const busy = new Audience({ kind: "user", id: "root", tenant: "busy", roles: ["admin"] });
const bob = new Audience({ kind: "user", id: "bob", tenant: "acme", roles: [] });

/** A log that a test writes by hand. */
class Log {
	epoch = "e1";
	oldest = 1;
	seq = 0;
	dataBytes = 2;
	missing: number | undefined;
	skipped: number[] = [];
	isDown = false;
	type = "session_updated";
	tenantOf = (_seq: number): string => "acme";
	reads = 0;
	heads = 0;

	async head(): Promise<LogHead> {
		this.heads++;
		if (this.isDown) throw new Error("down");
		return { epoch: this.epoch, seq: this.seq, oldest: this.oldest };
	}

	async read(after: number, limit: number): Promise<LogEntry[]> {
		this.reads++;
		const all = Array.from({ length: Math.min(limit, this.seq - after) }, (_, index) => after + 1 + index);
		return all.filter((seq) => seq !== this.missing).map((seq) => this.entry(seq));
	}

	entry(seq: number): LogEntry {
		const owner = seq % 2 === 0 ? "alice" : "bob";
		if (this.skipped.includes(seq)) return { seq, type: "skipped", data: "{}", tenant: "", at: 0, skipped: true };
		return {
			seq,
			type: this.type,
			data: JSON.stringify("x".repeat(this.dataBytes - 2)),
			tenant: this.tenantOf(seq),
			owner,
			at: 0,
		};
	}
}

/** Time that passes when a test says so. */
class HandClock {
	ms = 0;
	readonly putBack = turnClock({ now: () => this.ms, monotonic: () => this.ms });
}

class Listener {
	seqs: number[] = [];
	moves: EventPosition[] = [];
	troubles: string[] = [];
	appended = (entries: readonly TailEntry[]): void => void this.seqs.push(...entries.map(({ seq }) => seq));
	moved = (former: EventPosition): void => void this.moves.push(former);
	trouble = (error: unknown): void => void this.troubles.push(String(error));
}

async function tailOf(seq: number, oldest = 1): Promise<{ log: Log; tail: LogTail; listener: Listener }> {
	const log = new Log();
	Object.assign(log, { seq, oldest });
	const listener = new Listener();
	const tail = new LogTail(log, listener, testIds);
	await tail.refresh();
	return { log, tail, listener };
}

function numbers(frames: readonly Buffer[]): number[] {
	return frames.map((frame) => testIds.read(/^id: (.+)\n/.exec(frame.toString())?.[1] ?? "").seq);
}

describe("LogTail", () => {
	it("begins with the newest 5,000 and publishes no older ones", async () => {
		const { tail, listener } = await tailOf(12_345);
		expect(tail.position).to.deep.equal({ epoch: "e1", seq: 12_345 });
		expect(listener.seqs).to.deep.equal([]);
		expect(tail.resetReason({ epoch: "e1", seq: 7_345 }, everybody)).to.equal(undefined);
		expect(tail.resetReason({ epoch: "e1", seq: 7_344 }, everybody)).to.equal("expired");
	});

	it("begins with all entries when the log has fewer", async () => {
		const { tail } = await tailOf(300, 200);
		expect(tail.resetReason({ epoch: "e1", seq: 199 }, everybody)).to.equal(undefined);
		expect(tail.resetReason({ epoch: "e1", seq: 198 }, everybody)).to.equal("expired");
	});

	it("reads an empty log", async () => {
		const { tail } = await tailOf(0);
		expect(tail.isCurrent).to.equal(true);
		expect(tail.resetReason(tail.position, everybody)).to.equal(undefined);
		expect(tail.after(tail.position, everybody, 100)).to.deep.equal({ frames: [], position: tail.position });
	});

	it("says why a position is invalid", async () => {
		const { tail } = await tailOf(10);
		expect(tail.resetReason({ epoch: "e0", seq: 5 }, everybody)).to.equal("epoch");
		expect(tail.resetReason({ epoch: "e1", seq: 11 }, everybody)).to.equal("ahead");
		expect(tail.resetReason({ epoch: "e1", seq: 10 }, everybody)).to.equal(undefined);
	});

	it("publishes each new entry once and in order, and reads the range only when the head moved", async () => {
		const { log, tail, listener } = await tailOf(10);
		const before = log.reads;
		await tail.refresh();
		expect(log.reads).to.equal(before);
		log.seq = 1_700;
		await Promise.all([tail.refresh(), tail.refresh(), tail.refresh()]);
		expect(listener.seqs).to.deep.equal(Array.from({ length: 1_690 }, (_, index) => 11 + index));
	});

	it("reads the entries that a hint tells of without the head, and the head when they do not continue or a read is asked for", async () => {
		const { log, tail, listener } = await tailOf(10);
		const before = log.heads;
		log.seq = 1_700;
		tail.hint(1_700);
		await eventually(() => listener.seqs.length === 1_690);
		expect(log.heads).to.equal(before);
		Object.assign(log, { seq: 1_900, oldest: 1_800, missing: 1_701 });
		tail.hint(1_900);
		await eventually(() => tail.position.seq === 1_900);
		expect(listener.moves).to.deep.equal([{ epoch: "e1", seq: 1_700 }]);
		Object.assign(log, { epoch: "e2", seq: 1_901 });
		tail.hint(1_901);
		await tail.refresh();
		expect(tail.position).to.deep.equal({ epoch: "e2", seq: 1_901 });
	});

	it("stops at a gap, and goes on when it is filled", async () => {
		const { log, tail, listener } = await tailOf(10);
		Object.assign(log, { seq: 20, missing: 15 });
		expect(String(await failureOf(tail.refresh()))).to.include("gap after 14");
		expect(listener.seqs).to.deep.equal([11, 12, 13, 14]);
		log.missing = undefined;
		await tail.refresh();
		expect(tail.position.seq).to.equal(20);
		expect(listener.seqs).to.have.length(10);
	});

	for (const [what, change] of [
		["a gap", { seq: 20, missing: 15 }],
		["an end before what was read of it", { seq: 8 }],
	] as const) {
		it(`waits some seconds for the end of ${what}, then it is a reset and no error any more (H10)`, async () => {
			const clock = new HandClock();
			try {
				const { log, tail, listener } = await tailOf(10);
				Object.assign(log, change);
				for (; clock.ms < 5_000; clock.ms += 1_000) expect(await failureOf(tail.refresh())).to.be.instanceOf(Error);
				expect(listener.moves).to.deep.equal([]);
				const { position } = tail;
				await tail.refresh();
				expect(tail.position.seq).to.equal(change.seq);
				expect(listener.moves).to.deep.equal([position]);
				expect(tail.resetReason(position, everybody)).to.be.a("string");
				await tail.refresh();
				expect(listener.moves).to.have.length(1);
			} finally {
				clock.putBack();
			}
		});
	}

	it("does not combine separate irregularities (H10)", async () => {
		const clock = new HandClock();
		try {
			const { log, tail, listener } = await tailOf(10);
			for (let times = 0; times < 3; times++, clock.ms += 4_000) {
				log.seq = 8;
				await failureOf(tail.refresh());
				log.seq = 10;
				await tail.refresh();
			}
			expect(listener.moves).to.deep.equal([]);
		} finally {
			clock.putBack();
		}
	});

	it("refuses positions before a skipped entry (H10)", async () => {
		const { log, tail, listener } = await tailOf(10);
		Object.assign(log, { seq: 15, skipped: [12, 13] });
		await tail.refresh();
		expect(listener.moves).to.deep.equal([{ epoch: "e1", seq: 10 }]);
		expect(listener.seqs).to.deep.equal([]);
		expect(tail.position.seq).to.equal(15);
		expect(tail.resetReason({ epoch: "e1", seq: 12 }, everybody)).to.equal("expired");
		expect(numbers(tail.after({ epoch: "e1", seq: 13 }, everybody, 1_000).frames)).to.deep.equal([14, 15]);
		expect(listener.troubles).to.deep.equal([]);
	});

	it("returns what a client missed in pieces, and only what it may see", async () => {
		const { tail } = await tailOf(100);
		let position: EventPosition = { epoch: "e1", seq: 40 };
		const seen: number[] = [];
		for (let frames: readonly Buffer[] = []; ; seen.push(...numbers(frames))) {
			({ frames, position } = tail.after(position, bob, 200));
			if (frames.length === 0) break;
			expect(Buffer.concat([...frames]).length).to.be.below(300);
		}
		expect(seen).to.deep.equal(Array.from({ length: 30 }, (_, index) => 41 + 2 * index));
		expect(position).to.deep.equal(tail.position);
	});

	for (const [what, change, reason] of [
		["another epoch", { epoch: "e2", seq: 3 }, "epoch"],
		["far ahead, its past forgotten", { seq: 900, oldest: 400 }, "expired"],
	] as const) {
		it(`says that the log moved: ${what}`, async () => {
			const { log, tail, listener } = await tailOf(100);
			Object.assign(log, change);
			await tail.refresh();
			expect(listener.moves).to.deep.equal([{ epoch: "e1", seq: 100 }]);
			expect(listener.seqs).to.deep.equal([]);
			expect(tail.position.seq).to.equal(change.seq);
			expect(tail.resetReason({ epoch: "e1", seq: 100 }, everybody)).to.equal(reason);
		});
	}

	it("keeps at most 64 MB, and always the newest", async () => {
		const { log, tail } = await tailOf(0);
		log.dataBytes = 1024 * 1024;
		log.seq = 70;
		await tail.refresh();
		expect(tail.resetReason({ epoch: "e1", seq: 7 }, everybody)).to.equal(undefined);
		expect(tail.resetReason({ epoch: "e1", seq: 5 }, everybody)).to.equal("expired");
	});

	for (const [what, dataBytes, events] of [
		["number", 2, 20_000],
		["size", 1024 * 1024, 150],
	] as const) {
		it(`forgets the events of the tenant with most of them, by ${what}, and none of another one (X4)`, async () => {
			const { log, tail } = await tailOf(0);
			const few = [3, 10, 20];
			Object.assign(log, { dataBytes, seq: events, tenantOf: (seq: number) => (few.includes(seq) ? "acme" : "busy") });
			await tail.refresh();
			const { frames, position } = tail.after({ epoch: "e1", seq: 2 }, everybody, 1e9);
			expect(tail.resetReason({ epoch: "e1", seq: 2 }, everybody)).to.equal(undefined);
			expect(numbers(frames)).to.deep.equal(few);
			expect(position).to.deep.equal(tail.position);
			expect(tail.resetReason({ epoch: "e1", seq: 20 }, busy)).to.equal("expired");
			expect(tail.resetReason({ epoch: "e1", seq: events - 50 }, busy)).to.equal(undefined);
			expect(numbers(tail.after({ epoch: "e1", seq: events - 50 }, busy, 1e9).frames)).to.have.length(50);
		});
	}

	it("has a bound on tenants, whose last events are forgotten in their order (X4)", async () => {
		const { log, tail } = await tailOf(0);
		Object.assign(log, { seq: 11_000, tenantOf: (seq: number) => (seq === 500 ? "acme" : `t${seq}`) });
		await tail.refresh();
		expect(tail.resetReason({ epoch: "e1", seq: 999 }, everybody)).to.equal("expired");
		expect(tail.resetReason({ epoch: "e1", seq: 1_000 }, everybody)).to.equal(undefined);
	});

	it("retains the bytes of its frames and no larger pieces of memory", async () => {
		const { tail } = await tailOf(50);
		const { frames } = tail.after({ epoch: "e1", seq: 0 }, everybody, 1e6);
		expect(frames).to.have.length(50);
		for (const { buffer, length } of frames) expect(buffer.byteLength).to.equal(length);
	});

	it("hides an entry with an undeclared name, logs it once, and goes on after it", async () => {
		const { log, tail, listener } = await tailOf(0);
		log.type = "session_invented";
		log.seq = 3;
		await tail.refresh();
		log.type = "session_updated";
		log.seq = 4;
		await tail.refresh();
		expect(listener.troubles).to.deep.equal(['TypeError: Event 1 has the undeclared name "session_invented"']);
		expect(numbers(tail.after({ epoch: "e1", seq: 0 }, everybody, 1_000).frames)).to.deep.equal([4]);
	});

	it("forwards the failure of a reading, and works again afterwards", async () => {
		const { log, tail } = await tailOf(5);
		log.isDown = true;
		expect(String(await failureOf(tail.refresh()))).to.equal("Error: down");
		log.isDown = false;
		log.seq = 6;
		await tail.refresh();
		expect(tail.position.seq).to.equal(6);
	});
});
