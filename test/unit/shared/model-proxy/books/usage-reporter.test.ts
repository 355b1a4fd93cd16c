import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { MeteredCall } from "#shared/model-proxy/metering/metered-call.ts";
import { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";
import { PlatformClient } from "#shared/model-proxy/platform/platform-client.ts";
import { UsageReporter } from "#shared/model-proxy/books/usage-reporter.ts";
import { UsageSpool } from "#shared/model-proxy/books/usage-spool.ts";
import { monotonic, now, turnClock } from "#shared/base/clock.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../../support/eventually.ts";
import { PlatformListener } from "../../../../support/platform/platform-listener.ts";

describe("UsageReporter", () => {
	let folder: string;
	let platform: PlatformListener;
	let client: PlatformClient;
	let reporter: UsageReporter;
	let meter: TokenMeter;
	let log: LogBuffer;
	let isStale = false;
	let putBack = (): void => {};

	async function open(launch = 3): Promise<void> {
		isStale = false;
		// The launch has only the members that the client reads.
		const document = { platform_url: platform.url, session_id: "s", pod_token: "t" } as LaunchDocument;
		client = new PlatformClient(document, log, { onStale: () => void (isStale = true), onLost() {} });
		meter = new TokenMeter();
		const spool = await UsageSpool.open(join(folder, "usage.jsonl"));
		reporter = new UsageReporter(spool, launch, { client, log, meter });
	}

	async function end(): Promise<void> {
		await reporter.drain();
		client.close();
		await reporter.close();
	}

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-usage-reporter-"));
		platform = await PlatformListener.listen();
		log = new LogBuffer([]);
		await open();
	});

	afterEach(async () => {
		putBack();
		await end();
		await platform[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	it("reports the use of a turn with its message at its end, and later calls without a message", async () => {
		reporter.began();
		reporter.add(call(), "reservation-1");
		reporter.add(call());
		reporter.add(call({ model: "small" }));
		expect(platform.usages).to.have.lengthOf(0);
		reporter.ended();
		await eventually(() => platform.usages.length === 3);
		expect(
			platform.usages.map(({ model, tokens, message_count, reservation_id, launch }) => [
				model,
				tokens,
				message_count,
				reservation_id,
				launch,
			]),
		).to.deep.equal([
			["m", 11, 1, "reservation-1", 3],
			["m", 11, 0, undefined, 3],
			["small", 11, 0, undefined, 3],
		]);
		expect(platform.usages[0]).to.include({ path: "/api/v1/svc/sessions/s/usage", authorization: "Bearer t" });
		reporter.add(call());
		const start = performance.now();
		await eventually(() => platform.usages.length === 4, { withinMs: 3_000 });
		console.log(
			`      a call outside of turns is told after ${Math.round(performance.now() - start)} ms (promised 1 s)`,
		);
		expect(platform.usages[3]).to.include({ message_count: 0 });
	});

	it("counts a message whose last call ends after its turn", async () => {
		reporter.began();
		reporter.add(call());
		reporter.ended();
		await eventually(() => platform.usages.length === 1);
		reporter.began();
		reporter.ended();
		reporter.add(call());
		await eventually(() => platform.usages.length === 2, { withinMs: 3_000 });
		expect(platform.usages.map(({ message_count }) => message_count)).to.deep.equal([1, 1]);
	});

	it("reports a long turn while it goes on", async () => {
		let passed = 0;
		let looks = 0;
		const start = monotonic();
		putBack = turnClock({ now, monotonic: () => (looks++, start + passed) });
		reporter.began();
		reporter.add(call());
		passed = 29_000;
		looks = 0;
		await eventually(() => looks > 0, { withinMs: 3_000, what: "it has looked" });
		await client.post("activity", {});
		expect(platform.usages).to.have.lengthOf(0);
		passed = 31_000;
		await eventually(() => platform.usages.length === 1, { withinMs: 3_000 });
		expect(platform.usages[0]).to.include({ message_count: 0 });
	});

	it("repeats a report with the same id until it is acknowledged, in order", async () => {
		platform.usageStatuses.push(503, 429);
		platform.lostAnswers = 3;
		reporter.add(call());
		reporter.ended();
		await eventually(() => platform.usages.length === 1);
		reporter.add(call({ model: "next" }));
		await eventually(() => platform.booked.length === 2, { withinMs: 12_000, what: "both are heard" });
		expect(platform.booked.map(({ model }) => model)).to.deep.equal(["m", "next"]);
		const [first] = platform.usages;
		const tries = platform.usages.filter(({ report_id }) => report_id === first?.report_id);
		expect(tries.length).to.be.at.least(4);
		for (const one of tries) expect({ ...one, answered: 0 }).to.deep.equal({ ...first, answered: 0 });
	}).timeout(20_000);

	it("drops a refused report, logs it once, and is not ended by a 409", async () => {
		platform.usageStatuses.push(409, 422);
		reporter.add(call());
		reporter.add(call({ model: "b" }));
		reporter.add(call({ model: "c" }));
		reporter.ended();
		await eventually(() => platform.usages.length === 3);
		expect(isStale).to.equal(false);
		expect(platform.booked.map(({ model }) => model)).to.deep.equal(["c"]);
		const said = log.after(0).filter(({ message }) => message.includes("refuses"));
		expect(said).to.have.lengthOf(1);
	});

	it("ends soon when the platform cannot be reached, and the next launch reports the rest", async () => {
		platform.status = 503;
		reporter.add(call());
		reporter.ended();
		await eventually(() => platform.usages.length > 0);
		const start = performance.now();
		await end();
		const ms = performance.now() - start;
		console.log(`      the end waits ${Math.round(ms)} ms for a platform that is away (promised 2 s)`);
		expect(ms).to.be.below(6_000);
		const left = platform.usages[0]?.report_id;
		platform.status = 204;
		await open(4);
		reporter.add(call());
		reporter.ended();
		await eventually(() => platform.booked.length === 2);
		expect(platform.booked.map((one) => [one.launch, one.report_id === left, one.message_count])).to.deep.equal([
			[3, true, 1],
			[4, false, 1],
		]);
	}).timeout(15_000);

	it("reports nothing for calls without usage, and counts no message without a model", async () => {
		reporter.began();
		reporter.add({ ...call(), counts: undefined });
		reporter.ended();
		await reporter.reported();
		expect([platform.usages, meter.total]).to.deep.equal([[], undefined]);
	});

	it("resolves when everything so far is acknowledged", async () => {
		for (let turn = 1; turn <= 20; turn++) {
			reporter.add(call());
			await reporter.reported();
			expect(platform.booked, `turn ${turn}`).to.have.lengthOf(turn);
		}
		expect(meter.total).to.deep.equal({ input: 200, output: 20, cache_read: 0, cache_write: 0 });
	});
});

function call(changes: Partial<MeteredCall> = {}): MeteredCall {
	const counts = { input: 10, output: 1, cache_read: 0, cache_write: 0 };
	return {
		id: crypto.randomUUID(),
		wire: "anthropic",
		provider: "p",
		location: "cloud",
		model: "m",
		counts,
		isEstimated: false,
		status: 200,
		end: "whole",
		...changes,
	};
}
