import { expect } from "chai";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { kubernetesSettings } from "#services/pod-manager/pod-runtimes/kubernetes/kubernetes-options.ts";
import { podResources } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-resources.ts";

describe("podResources()", () => {
	const gib = 2 ** 30;
	const usual = kubernetesSettings({}).limits;
	const withGpus = kubernetesSettings({ max_gpus: 2 }).limits;

	function refusalOf(asked: Record<string, unknown>, limits = usual): PodRefused {
		try {
			podResources(asked, limits);
		} catch (error) {
			expect(error).to.be.an.instanceOf(PodRefused);
			return error as PodRefused;
		}
		throw new Error(`${JSON.stringify(asked)} was not refused`);
	}

	it("are the operator's where a session does not ask", () => {
		expect(podResources({}, usual)).to.deep.equal({
			memoryBytes: 4 * gib,
			processors: 2,
			processorShare: 0.25,
			diskBytes: 10 * gib,
			gpus: 0,
		});
	});

	it("are those that a session asks for, up to the most", () => {
		const asked = { memory: "16Gi", cpu: "8", disk: "100Gi", gpu: "2", gpu_type: "NVIDIA-A100-SXM4-80GB" };
		expect(podResources(asked, withGpus)).to.deep.equal({
			memoryBytes: 16 * gib,
			processors: 8,
			processorShare: 0.25,
			diskBytes: 100 * gib,
			gpus: 2,
			gpuType: "NVIDIA-A100-SXM4-80GB",
		});
	});

	const refused: readonly (readonly [Record<string, unknown>, string])[] = [
		[{ memory: "17Gi" }, "resource_config.memory asks for 17408 MB, and a session may have 16384 MB"],
		[{ cpu: "8.5" }, "resource_config.cpu asks for 8.5, and a session may have 8"],
		[{ disk: "101Gi" }, "resource_config.disk asks for 103424 MB, and a session may have 102400 MB"],
		[{ gpu: "1" }, "resource_config.gpu asks for 1, and a session may have 0 (pods.runtime.kwargs.max_gpus)"],
		[{ gpu: 4 }, "resource_config.gpu asks for 4, and a session may have 0"],
	];
	for (const [asked, words] of refused)
		it(`are refused for good when a session asks for ${JSON.stringify(asked)}`, () => {
			expect(refusalOf(asked)).to.include({ code: "POD_FORBIDDEN", final: true });
			expect(refusalOf(asked).message).to.include(words);
		});

	it("are refused when more GPUs are asked for than one session may have", () => {
		expect(refusalOf({ gpu: "3" }, withGpus).message).to.include("asks for 3, and a session may have 2");
	});

	it("have no GPU where the words are none, which a warning of the session says", () => {
		for (const gpu of ["0.5", "one", "-1", "100", {}, null, "", 0])
			expect(podResources({ gpu }, withGpus), JSON.stringify(gpu)).to.have.property("gpus", 0);
	});

	it("have no kind of GPU that cannot be a label, and none without a GPU", () => {
		for (const gpu_type of ["a b", "-a", "a,b=c", "x".repeat(64), "", 7])
			expect(podResources({ gpu: 1, gpu_type }, withGpus), String(gpu_type)).to.not.have.property("gpuType");
		expect(podResources({ gpu_type: "A100" }, withGpus)).to.not.have.property("gpuType");
	});
});
