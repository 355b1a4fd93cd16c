import { expect } from "chai";
import { agentsAmong, podFrom } from "#services/pod-manager/pod-runtimes/local-process/local-pod.ts";
import type { MarkedProcess } from "#services/pod-manager/pod-runtimes/local-process/marked-processes.ts";
import type { RunRecords } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import type { PodPhase, PodStatus } from "#shared/wire/pod/status.ts";

const launch = { sessionId: "0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c01", generation: 2 };
const agent: MarkedProcess = { ...launch, pid: 100, startTime: "1", isAgent: true };
const stray: MarkedProcess = { ...launch, pid: 200, startTime: "2", isAgent: false };

function written(phase: PodPhase, more: Partial<PodStatus> = {}): RunRecords {
	return { status: { phase, pid: 100, timings: {}, ...more } };
}

const ending: RunRecords = { endingSince: 1 };

describe("podFrom", () => {
	const rows: [processes: MarkedProcess[], records: RunRecords, state: string | undefined, why: string][] = [
		[[], {}, undefined, "nothing but a folder"],
		[[agent], {}, "launching", "an agent that has not written yet"],
		[[agent], written("starting"), "launching", "an agent on its way"],
		[[agent, stray], written("setting_up"), "launching", "an agent at work"],
		[[agent, stray], written("ready"), "ready", "an agent that is ready"],
		[[agent], written("failed"), "failed", "an agent that gave up and has not ended yet"],
		[[stray], {}, "failed", "leftovers of an agent that never wrote"],
		[[stray], written("ready"), "failed", "leftovers of an agent that died"],
		[[{ ...stray, pid: 100 }], written("ready"), "failed", "leftovers, one with the id the agent had"],
		[[{ ...agent, pid: 101 }], written("ready"), "failed", "another agent than the one that wrote"],
		[[agent], { ...written("ready"), ...ending }, "leaving", "an agent asked to end"],
		[[stray], { ...written("ready"), ...ending }, "leaving", "leftovers of an agent that ended on request"],
		[[agent], ending, "leaving", "an agent asked to end before it wrote"],
		[[], written("ready"), "gone", "records of an agent that died"],
		[[], written("failed"), "gone", "records of an agent that gave up"],
		[[], ending, "gone", "a mark of an agent that was asked to end"],
		[[{ ...agent, generation: 1 }], written("ready"), "gone", "an agent of another launch"],
	];
	for (const [processes, records, state, why] of rows) {
		it(`is ${state ?? "nothing"} for ${why}`, () => {
			expect(podFrom(launch, processes, records)?.state).to.equal(state);
		});
	}

	it("tells what the agent wrote", () => {
		const status = written("ready", { port: 4711, agent_title: "Shell (no AI)", timings: { ready: "now" } });
		expect(podFrom(launch, [agent], status)).to.deep.equal({
			...launch,
			name: `session-${launch.sessionId}-g2`,
			state: "ready",
			address: "http://127.0.0.1:4711",
			timings: { ready: "now" },
			agent_title: "Shell (no AI)",
		});
	});

	it("knows why a pod has ended: its own words first, then that the platform ended it", () => {
		const failure = { code: "SETUP_FAILED", message: "A setup script failed" };
		expect(podFrom(launch, [], { ...written("failed", { failure }), ...ending })?.failure).to.deep.equal(failure);
		expect(podFrom(launch, [], { ...written("ready"), ...ending })?.failure?.code).to.equal("POD_ENDED");
		expect(podFrom(launch, [], written("ready"))).not.to.have.property("failure");
	});
});

describe("agentsAmong", () => {
	it("is every candidate until one has written, and then that one", () => {
		const second = { ...agent, pid: 101 };
		expect(agentsAmong([agent, second, stray], {})).to.deep.equal([agent, second]);
		expect(agentsAmong([agent, second, stray], written("starting"))).to.deep.equal([agent]);
	});
});
