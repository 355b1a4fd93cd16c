import { expect } from "chai";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import { pullingReason } from "#services/pod-manager/pod-runtimes/kubernetes/state/pulled-images.ts";
import { circumstances, podShown, running, waitingFor } from "../../../../../../support/kubernetes/pods/pod-objects.ts";

const pulling = { reason: "Pulling", message: 'Pulling image "alpine/git:2"', at: "2026-11-27T23:10:04Z" };
const pulled = { reason: "Pulled", message: 'Successfully pulled image "alpine/git:2" in 71.2s' };
const scheduled = { reason: "Scheduled", message: "Successfully assigned" };

describe("pullingReason()", () => {
	it("says which image is pulled, and since when", () => {
		expect(pullingReason([scheduled, pulling])).to.deep.equal({
			code: "IMAGE_PULLING",
			message: 'The image of the session is being pulled: "alpine/git:2", since 2026-11-27T23:10:04Z',
		});
	});

	it("says nothing before, after, and while a pull has failed", () => {
		for (const events of [[], [scheduled], [pulled, pulling], [{ reason: "BackOff", message: "" }, pulling]])
			expect(pullingReason(events)).to.equal(undefined);
	});

	it("shows nothing that a terminal would obey", () => {
		const message = 'Pulling image "a\u001b[2J\nb\u202e"';
		expect(pullingReason([{ ...pulling, message }])?.message).to.match(/: "a \[2J b ", since /);
	});

	it("is what a launch waits for until its container runs", () => {
		const slow = podShown({ status: waitingFor("ContainerCreating") });
		expect(clusterPod(slow, circumstances(0, [pulling]))?.waiting?.code).to.equal("IMAGE_PULLING");
		const begun = podShown({ status: running });
		expect(clusterPod(begun, circumstances(0, [pulling]))).not.to.have.property("waiting");
	});

	it("leaves the word to a registry that refuses", () => {
		const refused = podShown({ status: waitingFor("ErrImagePull", "manifest unknown") });
		expect(clusterPod(refused, circumstances(0, [pulling]))?.waiting?.code).to.equal("IMAGE_PULL_FAILED");
	});
});
