import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { PlatformListener } from "../../support/platform/platform-listener.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

describe("what the platform hears of a pod", function () {
	// The start and the end of a pod depend on the load of the machine.
	this.timeout(60_000);

	it("is its activity, when it changes", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		await eventually(() => platform.states.at(-1) === "idle");
		const connection = await pod.connect();
		await connection.send("m1", "$ until [ -e go ]; do sleep 0.02; done");
		await eventually(() => platform.states.includes("tool_executing"));
		writeFileSync(join(session.workspace, "go"), "");
		await eventually(() => platform.states.at(-1) === "idle");
		const [first] = platform.activities;
		expect(first?.path).to.equal(`/api/v1/svc/sessions/${session.id}/activity`);
		expect(first?.authorization).to.equal(`Bearer ${pod.launch.pod_token}`);
		expect(platform.activities.at(-1)?.metadata)
			.to.have.keys("turn_count", "duration_seconds")
			.and.include({ turn_count: 1 });
		const { states } = platform;
		expect(states.filter((state, index) => state === states[index - 1])).to.deep.equal([]);
	});

	it("is only the newest state after an outage, during which the pod goes on", async () => {
		await using platform = await PlatformListener.listen();
		platform.status = 503;
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		for (let turn = 1; turn <= 3; turn++) await pod.ask(`$ echo ${turn}`);
		// An older state may be on its way until then.
		await eventually(() => platform.activities.at(-1)?.metadata["turn_count"] === 3, { withinMs: 20_000 });
		platform.status = 204;
		const taken = await eventually(
			() => {
				const heard = platform.activities.filter(({ answered }) => answered === 204);
				return heard.length > 0 && heard;
			},
			{ withinMs: 20_000 },
		);
		expect(taken).to.have.length(1);
		expect(taken[0]).to.deep.include({ state: "idle" });
		expect(taken[0]?.metadata).to.include({ turn_count: 3 });
	});

	it("is repeated after a failure of the platform, and not after a refusal, which is logged once", async () => {
		await using platform = await PlatformListener.listen();
		platform.status = 503;
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		await eventually(() => platform.activities.length >= 2);
		platform.status = 403;
		const heard = platform.activities.length;
		await eventually(() => platform.activities.length > heard, { withinMs: 20_000 });
		await pod.ask("$ true");
		await pod.ask("$ true");
		const refusals = (await pod.logs()).filter((line) => line.includes("activity: 403"));
		expect(refusals).to.have.length(1);
	});

	it("makes the pod end when it is not the session's pod any more", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		const connection = await pod.connect();
		platform.status = 409;
		connection.say({ type: "user", content: "$ true" });
		expect(await pod.ended()).to.equal(0);
	});
});
