import { expect } from "chai";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import type { StoredObject } from "../../../../support/kubernetes/label-selection.ts";
import { SimulatedSource } from "../../../../support/kubernetes/simulated-source.ts";
import { seededRandom, VirtualClock } from "../../../../support/kubernetes/virtual-clock.ts";

describe("A watch loop over objects that somebody has filled", () => {
	it("says which object is too large to be read", async () => {
		const clock = new VirtualClock(seededRandom(1));
		const source = new SimulatedSource(clock);
		const list = source.list.bind(source);
		source.list = async (keep, version, signal) => ({
			...(await list(keep, version, signal)),
			leftOut: ["filled\u001b[2J"],
		});
		const loop = new WatchLoop<StoredObject, string>({
			source,
			kind: "pods",
			clock,
			project: ({ metadata }) => metadata.name,
			onChange: () => {},
		});
		const ending = new AbortController();
		const run = loop.run(ending.signal);
		await clock.pass(1_000);
		expect(loop.trouble).to.equal('One of the cluster\'s pods, "filled [2J", is too large to be read');
		ending.abort();
		await clock.pass(1_000);
		await run;
	});
});
