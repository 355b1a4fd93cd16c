/** The doors of containers that an earlier process has started, at an engine that the test plays. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakedRuntime } from "../../support/containers/faked-runtime.ts";
import { eventually } from "../../support/eventually.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

describe("the doors of containers that an earlier process has started", () => {
	let world: FakedRuntime;

	beforeEach(() => {
		world = new FakedRuntime();
	});
	afterEach(() => world[Symbol.asyncDispose]());

	it("open also when those of one of them cannot, which is told and tried again", async () => {
		const [broken = "", whole = ""] = [randomUUID(), randomUUID()].sort();
		const folder = (id: string) => join(world.dataDir, "run", `${id}-g1`);
		const isOpen = (id: string) => existsSync(join(folder(id), "in", "api.sock"));
		const earlier = await world.open();
		for (const id of [broken, whole]) await earlier.create(podSpecFor(id, 1));
		await earlier.close();
		const model = join(folder(broken), "model.json");
		writeFileSync(model, "x".repeat(10_000));

		const runtime = world.runtime();
		await runtime.open();
		expect([isOpen(broken), isOpen(whole)]).to.deep.equal([false, true]);
		expect((await runtime.inventory()).troubles.join())
			.to.include("the sockets of 1 session(s)")
			.and.to.include(broken);

		rmSync(model);
		await using ending = new AsyncDisposableStack();
		const watching = new AbortController();
		ending.defer(() => watching.abort());
		runtime.watch(() => {}, watching.signal);
		await eventually(() => isOpen(broken), { what: "the door is open" });
		await eventually(async () => (await runtime.inventory()).troubles.length === 0);
	});
});
