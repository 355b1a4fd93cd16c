import { expect } from "chai";
import { Sightings } from "#services/pod-manager/pod-runtimes/kubernetes/state/sightings.ts";

describe("Sightings", () => {
	let at = 0;
	let sightings: Sightings;
	beforeEach(() => {
		at = 1_000;
		sightings = new Sightings(() => at);
	});

	it("count from the first look, for each pod and each condition", () => {
		expect(sightings.seenFor("a", "image")).to.equal(0);
		at += 50_000;
		expect(sightings.seenFor("a", "image")).to.equal(50_000);
		expect(sightings.seenFor("a", "silent")).to.equal(0);
		expect(sightings.seenFor("b", "image")).to.equal(0);
	});

	it("go on as long as somebody asks, and begin again after two minutes without a question", () => {
		sightings.seenFor("a", "image");
		for (let minute = 1; minute <= 5; minute++) {
			at += 60_000;
			expect(sightings.seenFor("a", "image")).to.equal(minute * 60_000);
		}
		at += 121_000;
		expect(sightings.seenFor("a", "image")).to.equal(0);
	});

	it("read events again after five seconds, and keep the former ones when they cannot be read", async () => {
		let reads = 0;
		const read = async (): Promise<{ reason: string; message: string }[]> => {
			reads++;
			if (reads === 2) throw new Error("The cluster does not answer");
			return [{ reason: "FailedMount", message: String(reads) }];
		};
		const shown = (): string[] => sightings.eventsOf("a").map(({ message }) => message);
		await sightings.learn("a", read);
		await sightings.learn("a", read);
		expect([reads, shown()]).to.deep.equal([1, ["1"]]);
		at += 5_000;
		await sightings.learn("a", read);
		expect([reads, shown()]).to.deep.equal([2, ["1"]]);
		at += 5_000;
		await sightings.learn("a", read);
		expect([reads, shown()]).to.deep.equal([3, ["3"]]);
	});

	it("ask the cluster once when several look at the same time", async () => {
		let reads = 0;
		const read = async (): Promise<[]> => {
			reads++;
			return [];
		};
		await Promise.all([sightings.learn("a", read), sightings.learn("a", read), sightings.learn("a", read)]);
		expect(reads).to.equal(1);
	});
});
