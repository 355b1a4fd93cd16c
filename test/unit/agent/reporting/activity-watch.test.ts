import { expect } from "chai";
import type { ActivityReport } from "#agent/reporting/activity-reporter.ts";
import { ActivityWatch } from "#agent/reporting/activity-watch.ts";
import type { Trouble } from "#agent/reporting/model-trouble.ts";
import type { PermissionRequest } from "#shared/contracts/sessions/session-control.ts";
import { monotonic, now, turnClock } from "#shared/base/clock.ts";
import { eventually } from "../../../support/eventually.ts";

describe("ActivityWatch", () => {
	let passed = 0;
	let putBack = (): void => {};
	const open: PermissionRequest[] = [];
	const told: ActivityReport[] = [];
	let trouble: Trouble | undefined;
	let watch: ActivityWatch;

	beforeEach(() => {
		passed = 0;
		open.length = 0;
		told.length = 0;
		trouble = undefined;
		const start = monotonic();
		putBack = turnClock({ now, monotonic: () => start + passed });
		watch = new ActivityWatch(
			{ turnCount: () => 3, permissions: { open }, trouble: () => trouble, report: (report) => void told.push(report) },
			{ lookMs: 5 },
		);
	});
	afterEach(() => {
		watch.rested();
		putBack();
	});

	function last() {
		const { state, metadata } = told.at(-1) ?? expect.fail();
		return [state, metadata.stalled, metadata.waiting];
	}

	it("reports an agent as stalled that is silent for two minutes, until its next update", async () => {
		watch.began();
		passed = 119_000;
		watch.asked();
		expect(last()).to.deep.equal(["active", undefined, undefined]);
		passed += 121_000;
		await eventually(() => told.at(-1)?.metadata.stalled);
		expect(last()).to.deep.equal(["active", true, undefined]);
		watch.updated(undefined, false);
		expect(last()).to.deep.equal(["active", undefined, undefined]);
	});

	it("reports at once that the model does not answer, until it does, and not while a person is awaited", () => {
		const said = () => [told.at(-1)?.metadata.model_error, told.at(-1)?.metadata.attempts];
		watch.began();
		trouble = { sentence: "529: overloaded", attempts: 2 };
		watch.troubled();
		expect(said()).to.deep.equal(["529: overloaded", 2]);
		open.push({ request_id: "p", title: "write a file" } as PermissionRequest);
		watch.asked();
		expect(said()).to.deep.equal([undefined, undefined]);
		open.pop();
		watch.answered();
		expect(said()).to.deep.equal(["529: overloaded", 2]);
		trouble = undefined;
		watch.troubled();
		expect(said()).to.deep.equal([undefined, undefined]);
	});

	it("treats neither a long tool nor a wait for a person as a stall", () => {
		watch.began();
		watch.updated(undefined, true);
		passed = 600_000;
		watch.answered();
		expect(last()).to.deep.equal(["tool_executing", undefined, undefined]);
		watch.updated(undefined, false);
		open.push({ request_id: "p", title: "write a file" } as PermissionRequest);
		watch.asked();
		passed = 1_200_000;
		expect(last()).to.deep.equal(["active", undefined, true]);
		open.pop();
		watch.answered();
		expect(last()).to.deep.equal(["active", undefined, undefined]);
	});
});
