/** `stop` is answered when the pod has ended, or soon; meanwhile the answer delays no other request. */
import { expect } from "chai";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { describeSessions } from "../../support/platform/describe-sessions.ts";
import { SessionActor } from "../../support/platform/session-actor.ts";
import { startSessions } from "../../support/platform/sessions-part.ts";
import { callAs } from "../../support/bus/test-brokers.ts";

describeSessions("the answer to a stop", (testbed) => {
	it("is given when the pod is gone, so that the session can be started at once", async () => {
		const { id } = await testbed.ada.running();
		expect(await testbed.ada.stop(id))
			.to.deep.equal(await testbed.ada.get(id))
			.and.to.include({ status: "stopped" });
		expect(await testbed.ada.command("start", id)).to.include({ status: "starting", generation: 2 });
	});

	it("delays no other change of the session", async () => {
		const { id } = await testbed.ada.running();
		const { answer } = await testbed.ada.stopping(id);
		const renamed = callAs(testbed.near, testbed.ada.principal, sessions.actions.update, { session_id: id, name: "b" });
		expect(await Promise.race([renamed.then(({ name }) => name), answer])).to.equal("b");
		await testbed.ada.pass(id, "absent");
		expect(await answer).to.include({ name: "b", status: "stopped" });
	});

	it("is the same for eight concurrent requests with one key", async () => {
		const { id } = await testbed.ada.running();
		const answers = Array.from({ length: 7 }, () => testbed.ada.command("stop", id, "same"));
		const last = await testbed.ada.stop(id, "same");
		expect(last).to.include({ status: "stopped" });
		for (const answer of await Promise.all(answers)) expect(answer).to.deep.equal(last);
		await testbed.ada.command("start", id);
		expect(await testbed.ada.command("stop", id, "same"), "later").to.deep.equal(last);
	});
});

describe("the answer to a stop of a pod that takes its time", function () {
	this.timeout(30_000);
	const promisedMs = 5_000;
	let started: Awaited<ReturnType<typeof startSessions>>;
	let ada: SessionActor;

	before(async () => {
		started = await startSessions(1);
		ada = new SessionActor(started.near);
	});
	after(() => started.stop());

	it("is the session as it is after 5 s", async () => {
		const { id } = await ada.running();
		const from = performance.now();
		expect(await ada.command("stop", id)).to.include({ status: "stopping" });
		expect(performance.now() - from).to.be.within(promisedMs - 100, 3 * promisedMs);
	});

	it("is given when the platform ends", async () => {
		const { id } = await ada.running();
		const from = performance.now();
		const { answer } = await ada.stopping(id);
		await started.drain();
		expect(await answer).to.include({ status: "stopping" });
		expect(performance.now() - from).to.be.below(promisedMs);
	});
});
