/** The launch of a pod that asks for it itself, and who may ask. */
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { describeSessions } from "../../../support/platform/describe-sessions.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { callAs, job, root } from "../../../support/bus/test-brokers.ts";

describeSessions("the launch of a pod that asks for it", (testbed) => {
	const launchOf = (id: string, generation: number, principal: Principal = job) =>
		callAs(testbed.near, principal, sessionWork.actions.launch_of, { id, generation });

	it("is that of the claim, without a new lease", async () => {
		const { ada } = testbed;
		const { id } = await ada.create();
		const [claim] = await ada.claim(id);
		expect(await launchOf(id, 1)).to.deep.equal(claim);
		expect(claim && (await ada.observe(claim, "ready"))).to.equal(true);
		expect((await launchOf(id, 1))?.launch).to.deep.equal({ ...claim?.launch, worked_before: true });
	});

	it("is none for another generation, an ended, an archived, a deleted and an unknown session", async () => {
		const { ada } = testbed;
		const { id } = await ada.running();
		for (const generation of [0, 2, 999_999_999])
			expect(await launchOf(id, generation), String(generation)).to.equal(null);
		await ada.stopping(id);
		expect(await launchOf(id, 1), "stopping").to.equal(null);
		await ada.pass(id, "absent");
		expect(await launchOf(id, 1), "stopped").to.equal(null);
		await ada.command("start", id);
		expect(await launchOf(id, 1), "of the former launch").to.equal(null);
		expect(await launchOf(id, 2)).to.include({ id, generation: 2 });
		await ada.command("archive", id);
		expect(await launchOf(id, 2), "archived").to.equal(null);
		await ada.delete(id);
		expect(await launchOf(id, 2), "deleted").to.equal(null);
		expect(await launchOf(randomUUID(), 1), "unknown").to.equal(null);
	});

	it("is none of a session that has failed", async () => {
		const { ada } = testbed;
		const { id } = await ada.create();
		await ada.pass(id, "failed");
		expect(await launchOf(id, 1)).to.equal(null);
	});

	it("is for the platform alone: not for its owner, an operator, nor the pod itself", async () => {
		const { ada } = testbed;
		const { id } = await ada.running();
		const pod: Principal = { kind: "pod", id, generation: 1, tenant: "", roles: [] };
		for (const principal of [ada.principal, root, pod])
			expect(await failureOf(launchOf(id, 1, principal)), principal.kind).to.have.property("code", 403);
	});
});
