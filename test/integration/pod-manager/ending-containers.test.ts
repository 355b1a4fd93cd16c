/** Containers that do not end hold nothing of the others, at an engine whose containers the test plays. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { FakedRuntime } from "../../support/containers/faked-runtime.ts";
import { eventually } from "../../support/eventually.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

/** More than the connections that a client keeps for short calls. */
const many = 20;

describe("containers that do not end", () => {
	let world: FakedRuntime;
	let runtime: ContainersRuntime;

	beforeEach(async () => {
		world = new FakedRuntime();
		runtime = await world.open();
		world.engine.isObeyed = false;
	});
	afterEach(() => world[Symbol.asyncDispose]());

	async function created(): Promise<string> {
		const id = randomUUID();
		await runtime.create(podSpecFor(id, 1));
		return id;
	}

	async function end(id: string, graceMs: number): Promise<void> {
		for (const pod of await runtime.find(id)) await runtime.end(pod, graceMs);
	}

	const stops = () => world.engine.calls.filter((call) => call.endsWith("/stop")).length;

	it("are asked once, however often a pass ends them, and again when they have less time", async () => {
		const id = await created();
		for (let pass = 0; pass < 5; pass += 1) await end(id, 20_000);
		await eventually(() => stops() > 0);
		await end(id, 20_000);
		expect(stops()).to.equal(1);
		await end(id, 0);
		await eventually(() => stops() === 2);
	});

	it("leave the engine to other sessions, however many they are", async () => {
		const ids: string[] = [];
		for (let count = 0; count < many; count += 1) ids.push(await created());
		for (const id of ids) await end(id, 20_000);
		await eventually(() => stops() === many, { what: "all are asked to end" });
		const other = await created();
		expect((await runtime.find(other)).map(({ state }) => state)).to.deep.equal(["launching"]);
	});
});
