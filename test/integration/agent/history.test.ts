/**
 * The history that a real pod reports, also while the platform cannot be reached.
 * Long: it starts pods, some without a platform that answers.
 */
import { expect } from "chai";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { historyReport } from "#shared/contracts/sessions/history.ts";
import { eventually } from "../../support/eventually.ts";
import { type History, PlatformListener } from "../../support/platform/platform-listener.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

const check = compileSchema(historyReport);

/** The launches and numbers, in order. */
function numbers(histories: readonly History[]): string[] {
	return histories.map(({ launch, n }) => `${launch}.${n}`);
}

describe("the history a pod reports", function () {
	this.timeout(60_000);

	it("has its log, its turns and its patch, each once, in the form of the contract", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url, setup_scripts: ["echo the setup speaks"] });
		await pod.ask("$ echo one > new.txt", "first");
		await eventually(() => platform.patch?.includes("+one"));
		await pod.ask("$ echo two", "second");
		await eventually(() => platform.turns.length === 4);
		expect(await pod.stop()).to.equal(0);

		const { turns } = platform;
		expect(turns.map(({ role, content }) => `${role} ${content.trim()}`)).to.deep.equal([
			"user $ echo one > new.txt",
			"assistant ",
			"user $ echo two",
			"assistant ```\ntwo\n```",
		]);
		const messages = platform.taken.flatMap(({ logs }) => logs.map(({ message }) => message));
		expect(messages.filter((message) => message === "the setup speaks")).to.have.length(1);
		const { taken } = platform;
		expect(numbers(taken)).to.deep.equal(taken.map((_, index) => `1.${index + 1}`));
		expect(taken.filter(({ path }) => path === `/api/v1/svc/sessions/${session.id}/history`)).to.deep.equal(taken);
		for (const { path: _path, authorization, answered: _answered, bytes: _bytes, ...report } of platform.histories) {
			expect(authorization).to.equal(`Bearer ${pod.launch.pod_token}`);
			expect(check(structuredClone(report))).to.deep.equal([]);
		}
		const diffs = platform.histories.filter(({ diff }) => diff);
		expect(diffs, "the second turn has changed nothing").to.have.length(1);
	});

	it("has the last turn when the pod is ended in the middle of it", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		const connection = await pod.connect();
		await connection.send("long", "$ echo begun > begun.txt; sleep 60");
		await eventually(() => platform.states.includes("tool_executing"));
		await eventually(() => readFileSync(join(session.workspace, "begun.txt"), "utf8") === "begun\n");
		expect(await pod.stop()).to.equal(0);
		expect(platform.turns.map(({ role }) => role)).to.deep.equal(["user", "assistant"]);
		expect(platform.turns.at(-1)?.metadata).to.include({ in_reply_to: "long", stop_reason: "cancelled" });
		expect(platform.patch).to.include("+begun");
	});

	it("waits on disk while the platform cannot be reached, and the next pod delivers what a killed one could not", async () => {
		await using platform = await PlatformListener.listen();
		platform.status = 503;
		await using session = new TestSession();
		const platform_url = platform.url;
		const first = await session.start({ platform_url, setup_scripts: ["echo of the first launch"] });
		await first.ask("$ echo one > one.txt", "a");
		await eventually(() => {
			const spool = readFileSync(join(first.launch.state, "history.jsonl"), "utf8");
			return spool.includes("in_reply_to") && spool.includes("+one");
		});
		await first.kill();

		platform.status = 204;
		const second = await session.start({ platform_url });
		await second.ask("$ echo two", "b");
		await eventually(() => platform.turns.length === 4);
		expect(platform.turns.map(({ id, role }) => (role === "user" ? id : "answer"))).to.deep.equal([
			"a",
			"answer",
			"b",
			"answer",
		]);
		const launches = platform.taken.map(({ launch }) => launch);
		expect(launches)
			.to.deep.equal(launches.toSorted((one, other) => one - other))
			.and.to.include.members([1, 2]);
		const messages = platform.taken.flatMap(({ logs }) => logs.map(({ message }) => message));
		expect(messages.filter((message) => message === "of the first launch")).to.have.length(1);
		expect(platform.patch).to.include("+one");
		expect(await second.stop()).to.equal(0);
		const spool = readFileSync(join(second.launch.state, "history.jsonl"), "utf8");
		expect(spool, "nothing waits").to.not.include('"report"');
	});

	it("has turns that were on disk and not in the spool yet", async () => {
		await using session = new TestSession();
		const first = await session.start();
		await first.ask("$ echo one", "a");
		await first.kill();
		rmSync(join(first.launch.state, "history.jsonl"));
		await using platform = await PlatformListener.listen();
		await session.start({ platform_url: platform.url });
		await eventually(() => platform.turns.length === 2);
		expect(platform.turns[1]?.metadata).to.include({ in_reply_to: "a" });
	});

	it("is repeated in order after a failure, and dropped after a refusal", async () => {
		await using platform = await PlatformListener.listen();
		platform.status = 503;
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url, setup_scripts: ["echo first"] });
		await eventually(() => platform.histories.length >= 3);
		expect(new Set(numbers(platform.histories)), "the first one only").to.deep.equal(new Set(["1.1"]));
		platform.status = 422;
		await eventually(() => platform.histories.some(({ answered }) => answered === 422), { withinMs: 20_000 });
		platform.status = 204;
		await pod.ask("$ true", "later");
		await eventually(() => platform.turns.length === 2);
		expect(numbers(platform.taken)).to.not.include("1.1");
	});

	it("has a patch of any size in pieces, cut at the end of a file at 2 MB", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		await pod.ask("$ for i in 1 2 3 4 5; do seq 100000 > seq$i.txt; done");
		await eventually(() => platform.patch !== undefined, { withinMs: 10_000 });
		const patch = platform.patch ?? "";
		expect(Buffer.byteLength(patch)).to.be.within(1_048_576, 2_097_152);
		expect(patch.endsWith("+100000\n")).to.equal(true);
		const diffs = platform.histories.flatMap(({ diff }) => (diff ? [diff] : []));
		expect(diffs).to.have.length.above(4);
		expect(diffs.every(({ truncated }) => truncated)).to.equal(true);
		expect(Math.max(...platform.histories.map(({ bytes }) => bytes))).to.be.below(900 * 1024);
	});
});

describe("the lifeline of a pod", function () {
	this.timeout(60_000);
	const lifeline_ms = 1_500;

	it("ends it in order when the platform cannot be reached for too long", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		platform.status = 503;
		// The pod learns that only after its turn is over, however long that takes.
		const answering = Promise.withResolvers<void>();
		platform.silence = answering.promise;
		const pod = await session.start({ platform_url: platform.url, lifeline_ms });
		await pod.ask("$ echo kept", "kept");
		answering.resolve();
		await eventually(() => pod.hasEnded, { withinMs: 15_000 });
		expect(pod.status?.failure).to.include({ code: "PLATFORM_LOST" });
		expect(readFileSync(join(pod.launch.state, "history.jsonl"), "utf8")).to.include('"in_reply_to":"kept"');
	});

	it("does not end it while the platform answers", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url, lifeline_ms });
		const connection = await pod.connect();
		platform.historyStatuses.push(503);
		connection.say({ type: "user", content: "$ true" });
		const { histories } = platform;
		await eventually(() => histories.some(({ answered }) => answered === 503) && histories.at(-1)?.answered === 204);
		const heardAt = performance.now();
		await eventually(() => performance.now() - heardAt > lifeline_ms);
		platform.status = 503;
		const awayAt = performance.now();
		connection.say({ type: "user", content: "$ true" });
		await eventually(() => pod.status?.phase === "failed", { withinMs: 15_000 });
		expect(performance.now() - awayAt, "the failure before counts no more").to.be.at.least(lifeline_ms);
		await eventually(() => pod.hasEnded, { withinMs: 15_000 });
		expect(pod.status?.failure).to.include({ code: "PLATFORM_LOST" });
	});
});
