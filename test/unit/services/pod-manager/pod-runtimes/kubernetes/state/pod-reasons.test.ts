import { expect } from "chai";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import { Sightings } from "#services/pod-manager/pod-runtimes/kubernetes/state/sightings.ts";
import {
	hopelessReason,
	silentNode,
	waitingReason,
} from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-reasons.ts";
import { statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import { circumstances, podShown, running, waitingFor } from "../../../../../../support/kubernetes/pods/pod-objects.ts";
import { lateContainers } from "../../../../../../support/kubernetes/recorded/late-containers.ts";
import { latePlaces } from "../../../../../../support/kubernetes/recorded/late-places.ts";
import type { WaitingPod } from "../../../../../../support/kubernetes/recorded/waiting-pod.ts";
import { seededRandom, VirtualClock } from "../../../../../../support/kubernetes/virtual-clock.ts";

describe("the reasons of a pod in a cluster that does not go on", () => {
	/** Looks every five seconds until the launch would be over, as the passes do. */
	async function shownOver({ status, node = "", events = [] }: WaitingPod): Promise<[number, object][]> {
		const clock = new VirtualClock(seededRandom(1));
		const sightings = new Sightings(() => 1 + clock.monotonic());
		const pod = podShown({ status, node });
		const shown: [number, object][] = [];
		for (let second = 0; second <= 290; second += 5, await clock.pass(5_000)) {
			await sightings.learn(pod.metadata.uid, async () => events);
			const { state, waiting, failure } = clusterPod(pod, sightings) ?? {};
			shown.push([second, { state, ...(waiting && { waiting }), ...(failure && { failure }) }]);
		}
		return shown;
	}

	for (const row of [...latePlaces, ...lateContainers]) {
		const { seen, code, words, shownAfter = -1, finalAfter = Number.POSITIVE_INFINITY } = row;
		it(`is ${code} for ${seen}${finalAfter < 300 ? `, final after ${finalAfter} s` : ""}`, async () => {
			const [sentence] = statusReasons[code];
			const reason = { code, message: words === undefined ? sentence : `${sentence}: ${words}` };
			for (const [second, pod] of await shownOver(row)) {
				// Either may be true at the very second.
				if (second === shownAfter || second === finalAfter) continue;
				const late =
					second > finalAfter ? { state: "failed", failure: reason } : { state: "launching", waiting: reason };
				expect(pod, String(second)).to.deep.equal(second < shownAfter ? { state: "launching" } : late);
			}
		});
	}

	it("has nothing to say of a pod that is on its way, but that its image is pulled", () => {
		const pulling = [
			{ reason: "Pulling", message: 'Pulling image "tools"' },
			{ reason: "FailedMount", message: "timed out" },
		];
		for (const status of [waitingFor("ContainerCreating"), waitingFor("PodInitializing"), { phase: "Unknown" }, {}])
			for (const events of [[], pulling]) {
				const pod = podShown({ status });
				const expected = events.length > 0 ? "IMAGE_PULLING" : undefined;
				expect(waitingReason(pod, circumstances(300_000, events))?.code, JSON.stringify(status)).to.equal(expected);
				expect(hopelessReason(pod, circumstances(300_000, events))).to.equal(undefined);
			}
	});

	it("is of an init container as well as of the session's", () => {
		const { containerStatuses: initContainerStatuses } = waitingFor("InvalidImageName", "no name");
		const pod = podShown({
			status: { ...waitingFor("PodInitializing"), ...(initContainerStatuses && { initContainerStatuses }) },
		});
		expect(hopelessReason(pod, circumstances())).to.have.property("code", "IMAGE_INVALID");
	});

	it("is one line of at most 1,100 characters, whatever a registry answers", () => {
		const hostile = `\u001b[31mgone\u0000\r\n\u202e${"denied ".repeat(15_000)}`;
		for (const reason of ["ErrImagePull", "CreateContainerError"]) {
			const { message = "" } = waitingReason(podShown({ status: waitingFor(reason, hostile) }), circumstances()) ?? {};
			expect(message.length).to.be.within(500, 1_100);
			expect(message).to.not.match(/[\p{Cc}\p{Cf}]/u);
		}
	});

	it("is a warning where the machine does not answer, and none where the agent's port does not", () => {
		const ready = (condition: object) =>
			podShown({ status: { ...running, conditions: [{ type: "Ready", status: "False", ...condition }] } });
		expect(silentNode(ready({}))).to.include('"n7"');
		expect(silentNode(ready({ reason: "ContainersNotReady" }))).to.equal(undefined);
		expect(silentNode(podShown())).to.equal(undefined);
	});
});
