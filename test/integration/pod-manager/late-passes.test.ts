/** Passes whose time is over, at an engine whose containers the test plays. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { FakedRuntime } from "../../support/containers/faked-runtime.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

describe("a pass whose time is over", () => {
	const reason = new Error("The pass is over");
	let world: FakedRuntime;
	let runtime: ContainersRuntime;
	let id: string;

	beforeEach(async () => {
		world = new FakedRuntime();
		runtime = await world.open();
		id = randomUUID();
	});
	afterEach(() => world[Symbol.asyncDispose]());

	/** Returns a signal that aborts when the engine hears such a call. */
	function overAt(heard: RegExp): AbortSignal {
		const over = new AbortController();
		world.engine.heard = (call) => heard.test(call) && over.abort(reason);
		return over.signal;
	}

	it("does not leave a container behind that nobody starts", async () => {
		await runtime.create(podSpecFor(id, 1), overAt(/^POST \/containers\/create/));
		expect(world.engine.calls).to.include(`POST /containers/session-${id}-g1/start`);
		expect((await runtime.find(id)).map(({ state }) => state)).to.deep.equal(["launching"]);
	});

	it("asks the engine nothing more, and does not take its silence for an engine that is away", async () => {
		const said = await runtime
			.create(podSpecFor(id, 1), overAt(/^GET \/containers\/json/))
			.catch((error: unknown) => error);
		expect(said).to.equal(reason);
		expect(world.engine.calls.filter((call) => call.includes(id))).to.deep.equal([]);
		expect(await runtime.find(id)).to.deep.equal([]);
	});

	it("removes nothing more", async () => {
		await runtime.create(podSpecFor(id, 1));
		const name = `session-${id}-g1`;
		world.engine.end(name, { code: 0 });
		const said = await runtime.purge(id, overAt(/^GET \/containers\/session-/)).catch((error: unknown) => error);
		expect(said).to.equal(reason);
		expect([...world.engine.containers.keys()]).to.include(name);
	});
});
