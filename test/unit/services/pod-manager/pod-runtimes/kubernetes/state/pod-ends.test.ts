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
