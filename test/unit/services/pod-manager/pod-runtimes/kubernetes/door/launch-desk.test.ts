import { expect } from "chai";
import { LaunchDesk } from "#services/pod-manager/pod-runtimes/kubernetes/door/launch-desk.ts";
import { annotation, label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { launchProof } from "#services/pod-manager/pod-runtimes/kubernetes/objects/launch-proof.ts";
import { type PodObject, podObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import type { PodSpec } from "#services/pod-manager/pod-runtime.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { podShown, running, sessionId } from "../../../../../../support/kubernetes/pods/pod-objects.ts";
import { podSpecFor } from "../../../../../../support/pods/memory-pods.ts";

const archived = "00000000-0000-4000-8000-000000000001";
const proof = launchProof(podSpecFor(sessionId, 1).pod_token, "Pod");
const deleted = "00000000-0000-4000-8000-000000000002";

describe("LaunchDesk", () => {
	let pod: PodObject | undefined;
	let spec: PodSpec | undefined;
	let reviews: number;
	let isAway: boolean;
	let desk: LaunchDesk;

	beforeEach(() => {
		pod = ours(podShown());
		spec = podSpecFor(sessionId, 1);
		reviews = 0;
		isAway = false;
		desk = new LaunchDesk({
			installation: "ours",
			launches: {
				specOf: async (id, generation) => (id === sessionId && generation === 1 ? spec : undefined),
				existingOf: async (ids) => {
					if (isAway) throw new Error("The platform does not answer");
					return ids.filter((id) => id === archived);
				},
			},
			places: { doorUrl: "http://door:7440", platformOrigin: "http://gateway:8080" },
			review: async (token) => {
				reviews++;
				return token === "good" && pod ? { name: pod.metadata.name, uid: "uid-1" } : undefined;
			},
			podNow: async () => podObject(pod),
		});
	});

	function ours(shown: PodObject, installation = "ours"): PodObject {
		const { name, labels } = shown.metadata;
		const annotations = { ...shown.metadata.annotations, [annotation.proof]: proof };
		const metadata = { ...shown.metadata, annotations, labels: { ...labels, [label.installation]: installation } };
		return { ...shown, metadata, spec: { ...shown.spec, serviceAccountName: name } };
	}

	it("gives nothing to a pod with the labels of a launch, and another name or account than its own pod has", async () => {
		const own = ours(podShown());
		pod = { ...own, metadata: { ...own.metadata, name: "evil" } };
		expect(await desk.launch("good")).to.equal("refused");
		pod = { ...own, spec: { ...own.spec, serviceAccountName: "default" } };
		expect(await desk.launch("good")).to.equal("refused");
		const labels = { ...own.metadata.labels, [label.generation]: "0x1" };
		pod = { ...own, metadata: { ...own.metadata, labels } };
		expect(await desk.launch("good")).to.equal("refused");
		pod = own;
		expect(await desk.launch("good")).to.be.an("object");
	});

	it("gives nothing to a pod that has all of a launch, and was not made by the platform", async () => {
		const own = ours(podShown());
		const { pod_token } = podSpecFor(sessionId, 1);
		// Its account is there before the pod, and everybody may read that.
		const others = [launchProof("the token of another launch", "Pod"), launchProof(pod_token, "ServiceAccount")];
		for (const shown of [undefined, ...others]) {
			const annotations = shown === undefined ? {} : { [annotation.proof]: shown };
			pod = { ...own, metadata: { ...own.metadata, annotations } };
			expect(await desk.launch("good")).to.equal("refused");
		}
		pod = own;
		expect(await desk.launch("good")).to.be.an("object");
	});

	it("gives the pod of a token the launch of its session, with the places of its pod", async () => {
		const answer = await desk.launch("good");
		const document = (typeof answer === "string" ? {} : JSON.parse(answer.document)) as LaunchDocument;
		expect(document).to.include({
			session_id: sessionId,
			generation: 1,
			platform_url: "http://gateway:8080/api/v1/svc",
			door_url: "http://door:7440",
			listen_port: 7433,
			state: `/session/state/${sessionId}`,
		});
		expect(document).to.not.have.any.keys("owner", "workspace_id", "resource_config");
	});

	it("names the deleted sessions among those that have records in the volume, and never its own", async () => {
		const deletedOf = async (earlier: readonly string[]) => {
			const answer = await desk.launch("good", earlier);
			return typeof answer === "string" ? answer : (JSON.parse(answer.document) as LaunchDocument).deleted_sessions;
		};
		expect(await deletedOf([archived, deleted, sessionId])).to.deep.equal([deleted]);
		expect(await deletedOf([archived, sessionId])).to.equal(undefined);
		isAway = true;
		expect(await deletedOf([archived, deleted])).to.equal(undefined);
	});

	it("gives it again until the agent has reported, and asks for a token once a minute", async () => {
		expect(await desk.launch("good")).to.have.property("document");
		expect(await desk.launch("good")).to.have.property("document");
		expect(reviews).to.equal(1);
		pod = ours(podShown({ told: { phase: "cloning" } }));
		expect(await desk.launch("good")).to.equal("over");
	});

	it("gives nothing to a pod that ends, and to one whose session must not run", async () => {
		pod = ours(podShown({ isEnding: true }));
		expect(await desk.launch("good")).to.equal("over");
		pod = ours(podShown());
		spec = undefined;
		expect(await desk.launch("good")).to.equal("over");
	});

	it("refuses other tokens, another pod of the same name, and pods of others", async () => {
		expect(await desk.launch("bad")).to.equal("refused");
		const { metadata, ...rest } = ours(podShown());
		pod = { ...rest, metadata: { ...metadata, uid: "uid-2" } };
		expect(await desk.launch("good")).to.equal("refused");
		pod = ours(podShown(), "theirs");
		expect(await desk.launch("good")).to.equal("refused");
	});

	it("gives it to a pod whose address the cluster does not tell yet", async () => {
		const { podIP: _none, ...status } = running;
		pod = ours(podShown({ status }));
		expect(await desk.launch("good")).to.have.property("document");
	});
});
