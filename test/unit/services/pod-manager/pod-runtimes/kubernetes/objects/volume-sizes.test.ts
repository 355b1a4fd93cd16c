import { expect } from "chai";
import { VolumeSizes } from "#services/pod-manager/pod-runtimes/kubernetes/objects/volume-sizes.ts";

describe("VolumeSizes", () => {
	const claim = (workspaceId: string, bytes: number) => ({ workspaceId, size: { bytes }, uid: "1", isEnding: false });

	it("takes sizes from the last list, and asks for what is not in it", async () => {
		const asked: string[] = [];
		const sizes = new VolumeSizes(async (id) => {
			asked.push(id);
			return id === "two" ? claim(id, 2_048) : undefined;
		});
		sizes.take([claim("one", 1_024)]);
		expect(await sizes.sizeOf("one")).to.deep.equal({ bytes: 1_024 });
		expect(await sizes.sizeOf("two")).to.deep.equal({ bytes: 2_048 });
		expect(await sizes.sizeOf("three")).to.deep.equal({ bytes: 0 });
		sizes.forget("one");
		expect(await sizes.sizeOf("one")).to.deep.equal({ bytes: 0 });
		expect(asked).to.deep.equal(["two", "three", "one"]);
	});
});
