/** Containers that were created and not started, because their platform was killed between the two, at an engine that the test plays. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { FakedRuntime } from "../../support/containers/faked-runtime.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

describe("a container that was created and not started", () => {
	let world: FakedRuntime;
	let runtime: ContainersRuntime;
	let id: string;
	let name: string;

	beforeEach(async () => {
		world = new FakedRuntime();
		runtime = await world.open();
		id = randomUUID();
		name = `session-${id}-g1`;
		await runtime.create(podSpecFor(id, 1));
	});
	afterEach(() => world[Symbol.asyncDispose]());

	const states = async () => (await runtime.find(id)).map(({ state }) => state);
	const status = () => world.engine.containers.get(name)?.status;

	it("is launching as long as a start may take", async () => {
		world.engine.unstarted(name, 19_000);
		expect(await states()).to.deep.equal(["launching"]);
		await runtime.create(podSpecFor(id, 1));
		expect(status()).to.equal("created");
	});

	for (const ageMs of [21_000, -3_600_000])
		it(`is started by the next pass when its age is ${ageMs / 1_000} s`, async () => {
			world.engine.unstarted(name, ageMs);
			expect(await states()).to.deep.equal([]);
			await runtime.create(podSpecFor(id, 1));
			expect(status()).to.equal("running");
			expect(await states()).to.deep.equal(["launching"]);
			expect(world.engine.containers.size).to.equal(1);
		});

	it("is removed when its session ends", async () => {
		const [pod] = await runtime.find(id);
		if (pod) await runtime.end(pod, 0);
		world.engine.unstarted(name, 21_000);
		const [ended] = await runtime.find(id);
		expect(ended).to.include({ state: "gone" });
		if (ended) await runtime.forget(ended);
		expect(status()).to.equal(undefined);
	});

	it("is found by a sweep as a launch that was begun, and removed", async () => {
		world.engine.unstarted(name, 21_000);
		const { pods, unfinished } = await runtime.inventory();
		expect(pods).to.deep.equal([]);
		expect(unfinished.map((one) => one.name)).to.deep.equal([name]);
		for (const one of unfinished) await runtime.forget(one);
		expect(status()).to.equal(undefined);
		expect((await runtime.inventory()).unfinished).to.deep.equal([]);
	});

	it("is removed with the records of its session", async () => {
		world.engine.unstarted(name, 21_000);
		await runtime.purge(id);
		expect(status()).to.equal(undefined);
	});
});
