import { expect } from "chai";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import { endReason } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-ends.ts";
import { statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import { circumstances, ended, podShown, running } from "../../../../../../support/kubernetes/pods/pod-objects.ts";
import { endedByCluster } from "../../../../../../support/kubernetes/recorded/ended-by-cluster.ts";
import { endedByThemselves } from "../../../../../../support/kubernetes/recorded/ended-by-themselves.ts";

describe("the reason for which a pod of a cluster has ended", () => {
	for (const { seen, code, words, sentence, ...shown } of [...endedByCluster, ...endedByThemselves])
		it(`is ${code} for ${seen}`, () => {
			const [usual] = statusReasons[code];
			const pod = clusterPod(podShown(shown), circumstances(300_000));
			expect(pod?.state).to.equal("gone");
			expect(pod?.failure).to.deep.equal({
				code,
				message: sentence ?? (words === undefined ? usual : `${usual}: ${words}`),
			});
		});

	it("is what the cluster says, before what its agent says of the same end", () => {
		const told = { phase: "failed", failure: { code: "AGENT_CRASHED", message: "it was told to end" } } as const;
		const drained = {
			...running,
			conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }],
		};
		expect(clusterPod(podShown({ told, status: drained }), circumstances())?.failure?.code).to.equal("NODE_DRAINED");
		const full = ended({ exitCode: 137, reason: "OOMKilled" });
		expect(clusterPod(podShown({ told, status: full }), circumstances())?.failure?.code).to.equal("OUT_OF_MEMORY");
		const alone = clusterPod(podShown({ told, status: ended({ exitCode: 1 }) }), circumstances());
		expect(alone?.failure).to.deep.equal(told.failure);
	});

	it("has the last lines of an agent that could not say why", () => {
		const message = `${"early ".repeat(200)}\nFATAL ERROR: Reached heap limit\n`;
		const failure = endReason(podShown({ told: {}, status: ended({ exitCode: 134, message }) }));
		expect(failure?.code).to.equal("AGENT_CRASHED");
		expect(failure?.message).to.match(/^The session agent ended \(134\) .*FATAL ERROR: Reached heap limit$/);
		expect(failure?.message.length).to.be.below(520);
	});

	it("is not known of a pod that runs, and of one without containers", () => {
		for (const status of [running, {}, { phase: "Failed" }, { phase: "Failed", reason: "SomethingNew" }])
			expect(endReason(podShown({ status })), JSON.stringify(status)).to.equal(undefined);
	});

	it("is one line of at most 1,200 characters, whatever the cluster says", () => {
		const message = `Pod was rejected: \u001b[31m\r\n${"x".repeat(100_000)}`;
		for (const reason of ["Evicted", "OutOfcpu", "Terminated"]) {
			const { message: shown = "" } =
				endReason(podShown({ status: ended({ exitCode: 1 }, { reason, message }) })) ?? {};
			expect(shown.length, reason).to.be.within(500, 1_200);
			expect(shown).to.not.match(/\p{Cc}/u);
		}
	});
});
