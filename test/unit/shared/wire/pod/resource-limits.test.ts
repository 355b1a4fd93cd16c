import { expect } from "chai";
import { readResources, type ResourceLimits } from "#shared/wire/pod/resource-limits.ts";

describe("readResources()", () => {
	const gi = 2 ** 30;
	const table: [config: object, limits: ResourceLimits, members: string[]][] = [
		[{}, {}, []],
		[{ cpu: "2", memory: "4Gi" }, { processors: 2, memoryBytes: 4 * gi }, []],
		[{ cpu: 2, memory: 4 }, { processors: 2, memoryBytes: 4 * gi }, []],
		[{ cpu: "500m" }, { processors: 0.5 }, []],
		[{ cpu: "1500m" }, { processors: 1.5 }, []],
		[{ cpu: "0.0001" }, { processors: 0.001 }, []],
		[{ disk: "20Gi" }, { diskBytes: 20 * gi }, []],
		[{ disk: "1Mi" }, { diskBytes: gi / 16 }, ["disk"]],
		[{ disk: "much" }, {}, ["disk"]],
		[{ cpu: "0.5", memory: "0.5" }, { processors: 0.5, memoryBytes: gi / 2 }, []],
		[{ memory: "600M" }, { memoryBytes: 600_000_000 }, []],
		[{ memory: "1Mi" }, { memoryBytes: gi / 4 }, ["memory"]],
		[{ cpu: "", memory: null, gpu: "0" }, {}, []],
		[{ gpu: "1", gpu_type: "A100", gpu_timeslice: "true" }, {}, ["gpu"]],
		[{ gpu: 0 }, {}, []],
		[{ gpu: "0.5" }, {}, ["gpu"]],
		[{ gpu: "one" }, {}, ["gpu"]],
		[{ cpu: "many", memory: "4 GB" }, {}, ["cpu", "memory"]],
		[{ cpu: "-1", memory: "0" }, {}, ["cpu", "memory"]],
		[{ cpu: "0" }, {}, ["cpu"]],
		[{ cpu: { a: 1 } }, {}, ["cpu"]],
		[{ memory: `9${"9".repeat(40)}Ti` }, {}, ["memory"]],
		[{ limits: { cpu: "1" } }, {}, ["limits"]],
	];
	for (const [config, limits, members] of table) {
		it(`reads ${JSON.stringify(config)}`, () => {
			const read = readResources({ ...config });
			expect(read.limits).to.deep.equal(limits);
			expect(read.warnings.map((warning) => warning.slice(0, warning.indexOf(":")))).to.deep.equal(
				members.map((member) => `resource_config.${member}`),
			);
		});
	}

	it("names a few unknown members only", () => {
		const config = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`member${n}`, "x"]));
		expect(readResources(config).warnings).to.have.lengthOf(10);
	});
});
