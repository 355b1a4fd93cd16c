import { expect } from "chai";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { launchLimits } from "#services/pod-manager/pod-runtimes/containers/launches/launch-limits.ts";

const [mib, gib] = [2 ** 20, 2 ** 30];
const settings = {
	limits: { memoryBytes: 4 * gib, nanoCpus: 2e9, processes: 100, temporaryBytes: gib, diskBytes: 20 * gib },
	maxLimits: { memoryBytes: 8 * gib, nanoCpus: 4e9, diskBytes: 50 * gib },
};

describe("launchLimits()", () => {
	it("are the usual ones of a session that asks for none", () => {
		const { diskBytes: _measured, ...usual } = settings.limits;
		expect(launchLimits({}, settings)).to.deep.equal(usual);
	});

	it("are those that a session asks for, and each of its folders in memory has half of it", () => {
		const asked = { cpu: "500m", memory: "512Mi", disk: "50Gi" };
		const wanted = { memoryBytes: 512 * mib, nanoCpus: 5e8, processes: 100, temporaryBytes: 256 * mib };
		expect(launchLimits(asked, settings)).to.deep.equal(wanted);
		expect(launchLimits({ memory: "8Gi", cpu: "4" }, settings)).to.include({ memoryBytes: 8 * gib, nanoCpus: 4e9 });
		expect(launchLimits({ cpu: "1m" }, settings).nanoCpus, "an agent needs more to start in time").to.equal(1e8);
	});

	const refused: [asked: Record<string, string>, words: string][] = [
		[{ memory: "9Gi" }, "resource_config.memory asks for 9216 MB, and a session may have 8192 MB"],
		[{ cpu: "4.5" }, "resource_config.cpu asks for 4.5, and a session may have 4"],
		[{ disk: "51Gi" }, "resource_config.disk asks for 52224 MB, and a session may have 51200 MB"],
	];
	for (const [asked, words] of refused) {
		it(`refuses ${JSON.stringify(asked)}`, () => {
			expect(() => launchLimits(asked, settings))
				.to.throw(PodRefused, words)
				.with.property("final", true);
		});
	}
});
