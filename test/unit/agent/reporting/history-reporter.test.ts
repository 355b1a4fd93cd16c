import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { PatchBase } from "#agent/reporting/history-report.ts";
import { HistoryReporter } from "#agent/reporting/history-reporter.ts";
import { HistorySpool } from "#agent/reporting/history-spool.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { PlatformClient } from "#shared/model-proxy/platform/platform-client.ts";
import { TimelineLog } from "#agent/timeline/timeline-log.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { monotonic, now, turnClock } from "#shared/base/clock.ts";
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../support/eventually.ts";
import { PlatformListener } from "../../../support/platform/platform-listener.ts";

describe("HistoryReporter", () => {
	let folder: string;
	let platform: PlatformListener;
	let reporter: HistoryReporter;
	let log: LogBuffer;
	let spool: HistorySpool;
	let turns: ConversationTurn[];
	let patches: number;
	let holdPatch: Promise<void>;
	let putBack = (): void => {};
	let client: PlatformClient;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-reporter-"));
		platform = await PlatformListener.listen();
		log = new LogBuffer([]);
		spool = await HistorySpool.open(join(folder, "history.jsonl"), 3, { failures: 3 });
		// The launch has only the members that the client reads.
		const launch = { platform_url: platform.url, session_id: "s", pod_token: "t" } as LaunchDocument;
		client = new PlatformClient(launch, log, { onStale() {}, onLost() {} });
		[turns, patches] = [[], 0];
		holdPatch = Promise.resolve();
		const patch = async (base: PatchBase) => {
			if (base === "default-branch") throw new Error("The workspace has no remote");
			patches++;
			await holdPatch;
			return { patch: `+${turns.length}\n`, truncated: false };
		};
		reporter = new HistoryReporter({ log, turns: () => turns, patch, timeline: new TimelineLog() }, spool, client);
	});

	afterEach(async () => {
		putBack();
		await end();
		await platform[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	async function end(chronicle?: ChronicleReport): Promise<void> {
		await reporter.drain(chronicle);
		client.close();
		await reporter.close();
	}

	function answer(id: string): void {
		turns.push({ id, role: "assistant", content: id, parts: [], created_at: "2026-11-21T10:00:00Z", metadata: {} });
		reporter.wake();
	}

	it("makes no patch for each of many turns, but has one of the last", async () => {
		const since = performance.now();
		for (let n = 1; n <= 12; n++) {
			answer(`turn ${n}`);
			await eventually(() => platform.turns.length === n);
		}
		const seconds = (performance.now() - since) / 1_000;
		expect(patches, `in ${seconds} s`).to.be.at.most(1 + Math.ceil(seconds));
		await eventually(() => platform.patch === "+12\n");
		answer("last");
		await end();
		expect([platform.turns.length, platform.patch]).to.deep.equal([13, "+13\n"]);
	});

	it("reports the summary of the launch without a patch that takes too long", async () => {
		const held = Promise.withResolvers<void>();
		holdPatch = held.promise;
		answer("turn 1");
		await eventually(() => patches === 1);
		await end({ summary: "One turn" });
		held.resolve();
		expect(platform.chronicles).to.deep.equal([{ summary: "One turn" }]);
		expect([platform.turns.length, platform.patch]).to.deep.equal([1, undefined]);
		const reopened = await HistorySpool.open(join(folder, "history.jsonl"), 4);
		expect(reopened.next(), "nothing is left to tell").to.equal(undefined);
		await reopened.close();
	});

	it("combines quick changes into few reports, completely and in order", async () => {
		const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
		const since = performance.now();
		for (const line of lines) {
			log.add("INFO", "test", line);
			reporter.wake();
			// The time exceeds what a report needs to get to the disk.
			for (let n = 0; n < 3; n++) await writeFile(join(folder, "beat"), line, { flush: true });
		}
		const told = () => platform.taken.flatMap(({ logs }) => logs.map(({ message }) => message));
		await eventually(() => told().length === lines.length);
		expect(told()).to.deep.equal(lines);
		const tenths = (performance.now() - since) / 100;
		expect(platform.taken.length, `in ${tenths} tenths of a second`).to.be.at.most(2 + tenths);
	});

	it("sets a report aside on which the platform always fails, says so, and goes on with the next one", async () => {
		platform.historyStatuses.push(500, 503, 500, 500);
		log.add("INFO", "test", "poison");
		await eventually(() => platform.histories.length === 4);
		log.add("INFO", "test", "healthy");
		await eventually(() => platform.taken.some(({ logs }) => logs.some(({ message }) => message === "healthy")));
		expect(platform.histories.slice(0, 4).map(({ n }) => n)).to.deep.equal([1, 1, 1, 1]);
		expect(platform.taken.every(({ n }) => n > 1)).to.equal(true);
		expect(
			log.tail().lines.some(({ message }) => message.includes("The platform failed on report 1 of launch 3")),
		).to.equal(true);
		expect(readFileSync(join(folder, "history.jsonl.failed"), "utf8")).to.include("poison");
	});

	it("sends a ping when there was nothing to report for long", async () => {
		log.add("INFO", "test", "told");
		await eventually(() => platform.taken.length === 1 && spool.next() === undefined);
		let passed = 0;
		const start = monotonic();
		putBack = turnClock({ now, monotonic: () => start + passed });
		passed = 31_000;
		await eventually(() => platform.histories.length === 2, { withinMs: 3_000 });
		const { launch, n, logs } = platform.histories[1] ?? expect.fail();
		expect({ launch, n, logs }, "the number of what is known already").to.deep.equal({
			launch: 3,
			n: 1,
			logs: undefined,
		});
	});

	it("reports again what could not be stored, and logs it once", async () => {
		await spool.close();
		log.add("INFO", "test", "lost?");
		await eventually(() => log.tail().lines.some(({ message }) => message.includes("The history cannot be stored")));
		expect(platform.histories).to.deep.equal([]);
	});
});
