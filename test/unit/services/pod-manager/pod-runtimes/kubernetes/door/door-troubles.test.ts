import { expect } from "chai";
import { DoorTroubles } from "#services/pod-manager/pod-runtimes/kubernetes/door/door-troubles.ts";
import { eventually } from "../../../../../../support/eventually.ts";

describe("DoorTroubles", () => {
	it("have the last one of each question", () => {
		const troubles = new DoorTroubles();
		expect(troubles.sentences).to.deep.equal([]);
		troubles.add("status", new Error("pods is forbidden"));
		troubles.add("launch", new Error("first"));
		troubles.add("launch", new Error("tokenreviews is forbidden"));
		expect(troubles.sentences).to.have.members([
			"A pod gets no launch: tokenreviews is forbidden",
			"The status of a pod cannot be kept: pods is forbidden",
		]);
	});

	it("forget it after a while", async () => {
		const troubles = new DoorTroubles(50);
		troubles.add("launch", new Error("away"));
		expect(troubles.sentences).to.have.length(1);
		await eventually(() => troubles.sentences.length === 0);
	});
});
