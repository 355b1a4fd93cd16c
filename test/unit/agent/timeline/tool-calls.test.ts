import { expect } from "chai";
import { ToolCalls } from "#agent/timeline/tool-calls.ts";

describe("ToolCalls", () => {
	it("assembles a call from its updates, and returns it once, when it has ended", () => {
		const calls = new ToolCalls();
		expect(calls.update({ type: "tool", id: "a", title: "Run", kind: "execute", status: "pending" })).to.equal(
			undefined,
		);
		expect(calls.update({ type: "tool", id: "a", command: "make", output: "x".repeat(100_000) })).to.equal(undefined);
		const { durationMs, ...call } =
			calls.update({ type: "tool", id: "a", status: "failed", exit_code: 2 }) ?? expect.fail();
		expect(call).to.deep.equal({ kind: "execute", title: "Run", command: "make", exitCode: 2, hasFailed: true });
		expect(durationMs).to.be.at.least(0);
		expect(calls.update({ type: "tool", id: "a", status: "completed" })).to.equal(undefined);
	});

	it("accepts a call that was never announced", () => {
		const call = new ToolCalls().update({ type: "tool", id: "b", status: "completed" });
		expect(call).to.include({ kind: "other", title: "", hasFailed: false });
	});
});
