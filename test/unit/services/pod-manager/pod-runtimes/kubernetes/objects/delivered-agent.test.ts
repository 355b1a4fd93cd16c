/** The pod of an image that gets the session agent, against the schemas of the API and the rules of the profile `restricted`. */
import { expect } from "chai";
import { podManifest } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { clusterPod } from "#services/pod-manager/pod-runtimes/kubernetes/state/pod-state.ts";
import { circumstances, ended, podShown } from "../../../../../../support/kubernetes/pods/pod-objects.ts";
import { type ApiObject, manifestFaults } from "../../../../../../support/kubernetes/manifest-faults.ts";
import { podPlan } from "../../../../../../support/kubernetes/pods/pod-plan.ts";

interface Container {
	readonly name: string;
	readonly image: string;
	readonly command: readonly string[];
	readonly securityContext: object;
	readonly resources: object;
	readonly volumeMounts: readonly { name: string; mountPath: string; readOnly?: boolean; subPath?: string }[];
}
interface Manifest extends ApiObject {
	readonly spec: {
		readonly initContainers?: readonly Container[];
		readonly containers: readonly Container[];
		readonly volumes: readonly { name: string; emptyDir?: { sizeLimit?: string } }[];
	};
}

// The builder returns the manifest as an object of no form.
const manifestOf = (more: Parameters<typeof podPlan>[0]) => podManifest(podPlan(more)) as Manifest;

describe("the pod of an image that gets the session agent", () => {
	const delivered = manifestOf({ image: "alpine/git:2", deliveredBy: "atelier/session:1" });
	const [init] = delivered.spec.initContainers ?? [];
	const [session] = delivered.spec.containers;

	it("has the form of the API", async () => {
		expect(await manifestFaults(delivered)).to.deep.equal([]);
	});

	it("confines what brings the agent as the session, whose need of resources does not grow", () => {
		expect(init?.securityContext).to.deep.equal(session?.securityContext);
		expect(init?.securityContext).to.deep.equal({
			allowPrivilegeEscalation: false,
			readOnlyRootFilesystem: true,
			capabilities: { drop: ["ALL"] },
		});
		expect(init?.resources).to.deep.equal(session?.resources);
	});

	it("needs a device for the session only", () => {
		const { spec } = manifestOf({
			deliveredBy: "atelier/session:1",
			resources: { ...podPlan({}).resources, gpus: 1 },
		});
		expect(JSON.stringify(spec.initContainers)).not.to.include("nvidia.com/gpu");
		expect(JSON.stringify(spec.containers)).to.include("nvidia.com/gpu");
	});

	it("fills a bounded volume that the session cannot change", () => {
		const volume = delivered.spec.volumes.find(({ name }) => name === "agent");
		expect(volume?.emptyDir?.sizeLimit).to.equal("512Mi");
		expect(init?.volumeMounts).to.deep.equal([{ name: "agent", mountPath: "/delivered" }]);
		const mounts = session?.volumeMounts.filter(({ name }) => name === "agent");
		expect(mounts).to.deep.equal([
			{ name: "agent", mountPath: "/opt/atelier", readOnly: true },
			{ name: "agent", mountPath: "/etc/passwd", subPath: "etc/passwd", readOnly: true },
			{ name: "agent", mountPath: "/etc/group", subPath: "etc/group", readOnly: true },
		]);
		expect(session?.command).to.deep.equal(["/bin/sh", "/opt/atelier/agent/enter-image.sh"]);
	});

	it("is another one than that of an image with the agent, which has no init container", () => {
		const { spec } = manifestOf({ image: "atelier/session:1" });
		expect(spec).not.to.have.property("initContainers");
		expect(spec.volumes.map(({ name }) => name)).not.to.include("agent");
		expect(spec.containers[0]?.command).to.deep.equal(["tini", "--", "node"]);
	});

	describe("that has ended", () => {
		const endOf = (
			agent: { exitCode: number; message?: string },
			session?: { exitCode: number; reason?: string; message?: string },
		) =>
			clusterPod(
				podShown({
					status: {
						phase: "Failed",
						initContainerStatuses: [{ name: "agent", state: { terminated: agent } }],
						containerStatuses: session ? [{ name: "session", state: { terminated: session } }] : [],
					},
				}),
				circumstances(),
			)?.failure;

		it("says what the image lacks", () => {
			expect(endOf({ exitCode: 0 }, { exitCode: 78 })?.message).to.equal("The image has no git, which sessions need");
			const noShell = {
				exitCode: 128,
				reason: "StartError",
				message: '"/bin/sh": stat /bin/sh: no such file or directory',
			};
			expect(endOf({ exitCode: 0 }, noShell)).to.deep.equal({
				code: "CONTAINER_FAILED",
				message: "The image has no sh, which sessions need",
			});
		});

		it("says why the agent could not be brought", () => {
			const failure = endOf({ exitCode: 1, message: "ENOSPC: no space left on device" });
			expect(failure?.code).to.equal("CONTAINER_FAILED");
			expect(failure?.message).to.include("its image (1): ENOSPC");
		});

		it("says that the first program of an image could not be run, unless its agent has reported", () => {
			const noNode = ended({ exitCode: 127 });
			const failure = (told?: object) =>
				clusterPod(podShown({ status: noNode, ...(told && { told }) }), circumstances())?.failure;
			expect(failure()).to.deep.equal({
				code: "CONTAINER_FAILED",
				message: "The first program of the container could not be run (127)",
			});
			expect(failure({})?.code).to.equal("AGENT_CRASHED");
		});

		it("has the agent's own end for every other code", () => {
			expect(endOf({ exitCode: 0 }, { exitCode: 3 })?.code).to.equal("AGENT_CRASHED");
			const own = podShown({ status: ended({ exitCode: 78 }) });
			expect(clusterPod(own, circumstances())?.failure?.code).to.equal("AGENT_CRASHED");
		});
	});
});
