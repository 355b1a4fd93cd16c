import { expect } from "chai";
import { agentFailure } from "#services/pod-manager/pod-runtimes/kubernetes/state/agent-failure.ts";
import { agentFailureCodes, failureCodes } from "#shared/contracts/sessions/status-reasons.ts";

describe("agentFailure()", () => {
	it("lets an agent say its own codes, and those of another version", () => {
		for (const code of [...agentFailureCodes, "SOMETHING_NEW"])
			expect(agentFailure({ code, message: "why" })).to.deep.equal({ code, message: "why" });
	});

	it("lets it say no code of the platform and of the cluster, nor one that looks like it", () => {
		const others = [...failureCodes].filter((code) => !agentFailureCodes.has(code));
		expect(others).to.include.members(["NODE_DRAINED", "OUT_OF_MEMORY", "POD_LOST"]);
		for (const code of [...others, "node_drained", " NODE_DRAINED", "NODE_DRAINED\u200b", "", "A".repeat(200)])
			expect(agentFailure({ code, message: "why" }), code).to.deep.equal({
				code: "FAILED",
				message: "The session failed",
			});
	});
});
