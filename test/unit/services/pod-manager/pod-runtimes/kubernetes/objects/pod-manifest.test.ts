/** The objects of a launch over a matrix of settings: against the schemas of the API, and against the rules of restricted pods. */
import { expect } from "chai";
import {
	accountManifest,
	type Placement,
	type PodPlan,
	podManifest,
	type PodResources,
	volumeClaimManifest,
} from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { finalizer } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { quantityBytes } from "#services/pod-manager/pod-runtimes/kubernetes/objects/quantity.ts";
import { egressProfiles } from "#shared/base/hosts/egress-profiles.ts";
import { checkObject } from "../../../../../../support/kubernetes/checked-objects.ts";
import { type ApiObject, manifestFaults } from "../../../../../../support/kubernetes/manifest-faults.ts";
import { podPlan } from "../../../../../../support/kubernetes/pods/pod-plan.ts";
import { type RestrictedPod, restrictedFaults } from "../../../../../../support/kubernetes/pods/restricted-faults.ts";
import { seededRandom } from "../../../../../../support/kubernetes/virtual-clock.ts";

const placements: readonly Placement[] = [
	{},
	{ runtimeClassName: "gvisor", hostUsers: false },
	{ nodeSelector: { "nvidia.com/gpu.product": "chosen", disk: "fast" }, priorityClassName: "sessions" },
	{
		tolerations: [{ key: "sessions", operator: "Exists", effect: "NoSchedule" }],
		affinity: { nodeAffinity: {} },
		imagePullSecrets: ["registry", "other"],
		storageClass: "fast",
	},
	{ storageClass: "", hostUsers: true },
];
const images = ["atelier/session", "registry.example:5000/a/b:1.2", `atelier/session@sha256:${"0".repeat(64)}`];
const { resources } = podPlan();
const amounts: readonly PodResources[] = [
	resources,
	{ ...resources, memoryBytes: 268_435_456, processors: 0.001, processorShare: 0.01, diskBytes: 67_108_864 },
	{ ...resources, gpus: 4, gpuType: "NVIDIA-A100-SXM4-80GB", processors: 64.5, processorShare: 1 },
];

function* plans(): Generator<PodPlan> {
	for (const placement of placements)
		for (const image of images)
			for (const each of amounts)
				for (const egress of egressProfiles)
					for (const user of [1, 231_001, 4_294_967_294])
						yield podPlan({ placement, image, resources: each, egress, user });
}

/** Its members are those of the API. */
function asPod(plan: PodPlan): RestrictedPod {
	return podManifest(plan) as RestrictedPod;
}

describe("the manifests of a launch", function () {
	this.timeout(60_000);

	it("are what the schemas of the API allow, whatever the settings", () => {
		let count = 0;
		for (const plan of plans()) {
			checkObject("serviceaccounts", accountManifest(plan));
			checkObject("persistentvolumeclaims", volumeClaimManifest(plan));
			checkObject("pods", podManifest(plan));
			count++;
		}
		expect(count).to.equal(5 * 3 * 3 * egressProfiles.length * 3);
	});

	it("have no member that the API does not know", async () => {
		for (const placement of placements)
			for (const each of amounts) {
				const plan = podPlan({ placement, resources: each });
				for (const object of [accountManifest(plan), volumeClaimManifest(plan), podManifest(plan)])
					expect(await manifestFaults(object as ApiObject)).to.deep.equal([]);
			}
	});

	it("are pods that the profile `restricted` takes, whatever the settings", () => {
		for (const plan of plans()) expect(restrictedFaults(asPod(plan))).to.deep.equal([]);
	});

	it("have a finalizer, no second start, an account of their own and none of its tokens but that of launches", () => {
		const { metadata, spec } = asPod(podPlan());
		expect(metadata.finalizers).to.deep.equal([finalizer]);
		expect(spec).to.include({
			restartPolicy: "Never",
			serviceAccountName: metadata.name,
			automountServiceAccountToken: false,
			enableServiceLinks: false,
		});
		const tokens = JSON.stringify(spec.volumes).match(/serviceAccountToken/g);
		expect(tokens).to.have.length(1);
	});

	it("have no secret and nothing that a user writes but the image and the kind of GPU", () => {
		const plan = podPlan({ owner: { tenant: "tenant with words", id: "ada@example.org" } });
		const written = JSON.stringify([accountManifest(plan), volumeClaimManifest(plan), podManifest(plan)]);
		expect(written).to.not.include("ada@").and.not.include("tenant with words");
	});

	it("have the memory in full and a part of the processors kept", () => {
		const [session] = asPod(podPlan()).spec.containers;
		expect(session?.resources).to.deep.equal({
			requests: { cpu: "500m", memory: "4294967296", "ephemeral-storage": "256Mi" },
			limits: { cpu: "2000m", memory: "4294967296", "ephemeral-storage": "10Gi" },
		});
	});

	it("ask for a GPU and a machine that has it; what the operator chooses has precedence", () => {
		const gpus = { ...resources, gpus: 2, gpuType: "A100" };
		const { spec } = asPod(podPlan({ resources: gpus }));
		expect(spec.containers[0]?.resources?.limits).to.include({ "nvidia.com/gpu": "2" });
		expect(spec.nodeSelector).to.deep.equal({ "nvidia.com/gpu.product": "A100" });
		expect(JSON.stringify(spec.tolerations)).to.include("nvidia.com/gpu");
		const placement = { nodeSelector: { "nvidia.com/gpu.product": "H100" } };
		expect(asPod(podPlan({ resources: gpus, placement })).spec.nodeSelector).to.deep.equal(placement.nodeSelector);
	});

	it("have the size of 10,000 volumes as they were asked for", () => {
		const random = seededRandom(3);
		for (let n = 0; n < 10_000; n++) {
			const diskBytes = Math.floor(67_108_864 + random() * 2 ** 45);
			const { spec } = volumeClaimManifest(podPlan({ resources: { ...resources, diskBytes } })) as {
				spec: { resources: { requests: { storage: string } } };
			};
			expect(quantityBytes(spec.resources.requests.storage)).to.equal(diskBytes);
		}
	});
});

describe("the environment of a session's container", () => {
	it("has the variables of the network, and its own folders whatever they say", () => {
		const proxy = "http://proxy.example:3128";
		const { env = [] } = asPod(podPlan({ variables: { HTTPS_PROXY: proxy, HOME: "/elsewhere" } })).spec
			.containers[0] as {
			env?: readonly { name: string; value: string }[];
		};
		const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
		expect(values).to.include({ HTTPS_PROXY: proxy, HOME: "/home/agent" });
		expect(new Set(env.map(({ name }) => name))).to.have.length(env.length);
	});
});

describe("the written-down rules of restricted pods", () => {
	const good = asPod(podPlan());
	type Change = (pod: RestrictedPod) => RestrictedPod;
	const inSpec =
		(more: object): Change =>
		(pod) => ({ ...pod, spec: { ...pod.spec, ...more } });
	const inPod =
		(more: object): Change =>
		(pod) => ({ ...pod, spec: { ...pod.spec, securityContext: { ...pod.spec.securityContext, ...more } } });
	const inContainer =
		(more: object): Change =>
		(pod) => ({
			...pod,
			spec: {
				...pod.spec,
				containers: pod.spec.containers.map((one) => ({
					...one,
					securityContext: { ...one.securityContext, ...more },
				})),
			},
		});
	const changes: Readonly<Record<string, Change>> = {
		hostNetwork: inSpec({ hostNetwork: true }),
		hostPID: inSpec({ hostPID: true }),
		hostIPC: inSpec({ hostIPC: true }),
		hostPath: inSpec({ volumes: [{ name: "host", hostPath: { path: "/" } }] }),
		hostPort: (pod) => ({
			...pod,
			spec: { ...pod.spec, containers: pod.spec.containers.map((one) => ({ ...one, ports: [{ hostPort: 80 }] })) },
		}),
		privileged: inContainer({ privileged: true }),
		allowPrivilegeEscalation: inContainer({ allowPrivilegeEscalation: undefined }),
		capabilities: inContainer({ capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } }),
		"dropped capabilities": inContainer({ capabilities: {} }),
		procMount: inContainer({ procMount: "Unmasked" }),
		runAsNonRoot: inPod({ runAsNonRoot: false }),
		"runAsNonRoot of a container": inContainer({ runAsNonRoot: false }),
		runAsUser: inPod({ runAsUser: 0 }),
		"runAsUser of a container": inContainer({ runAsUser: 0 }),
		seccompProfile: inPod({ seccompProfile: undefined }),
		"seccompProfile of a container": inContainer({ seccompProfile: { type: "Unconfined" } }),
		sysctls: inPod({ sysctls: [{ name: "kernel.msgmax", value: "1" }] }),
		readOnlyRootFilesystem: inContainer({ readOnlyRootFilesystem: false }),
		initContainers: inSpec({ initContainers: [{ name: "other" }] }),
	};
	for (const [rule, change] of Object.entries(changes))
		it(`refuse a pod with a wrong ${rule}`, () => {
			expect(restrictedFaults(good)).to.deep.equal([]);
			expect(restrictedFaults(change(good))).to.have.length.above(0);
		});
});
