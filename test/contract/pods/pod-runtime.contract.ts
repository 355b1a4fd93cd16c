/** The suite that every runtime for session pods must pass. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { Pod, PodRuntime } from "#services/pod-manager/pod-runtime.ts";
import { eventually } from "../../support/eventually.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

export interface PodWorld {
	/** The runtime as another process of the platform has it: it shares nothing but the running pods. */
	runtime(): PodRuntime;
	/** Resolves when the agents for later pods are loaded. */
	atRest(): Promise<void>;
	/** Kills the session agent of a pod, which cannot report a reason. */
	kill(pod: Pod): Promise<void>;
	hasWorkspace(sessionId: string): boolean;
	close(): Promise<void>;
}

const graceMs = 10_000;
/** The time from the start to an agent that is ready. */
const readyMs = 15_000;

/** @param testMs The longest time of one test, which starts up to two pods after each other. */
export function describePodRuntime(name: string, open: () => Promise<PodWorld>, testMs = 30_000): void {
	describe(`PodRuntime: ${name}`, function () {
		this.timeout(testMs);
		let world: PodWorld;
		let runtime: PodRuntime;
		let id: string;

		before(async function () {
			this.timeout(20 * testMs);
			world = await open();
			runtime = world.runtime();
		});
		beforeEach(async () => {
			id = randomUUID();
			await world.atRest();
		});
		afterEach(async () => {
			for (const pod of (await runtime.inventory()).pods) await gone(pod).then((left) => runtime.forget(left));
		});
		after(function () {
			this.timeout(120_000);
			return world.close();
		});

		async function one(): Promise<Pod | undefined> {
			const [pod, ...others] = await runtime.find(id);
			expect(others).to.deep.equal([]);
			return pod;
		}

		function inState(state: Pod["state"], withinMs = readyMs): Promise<Pod> {
			return eventually(async () => (await one())?.state === state && one(), {
				withinMs,
				what: `a pod that is ${state}`,
			});
		}

		function gone(pod: Pod): Promise<Pod> {
			return eventually(
				async () => {
					await runtime.end(pod, 0);
					return (await runtime.find(pod.sessionId)).find(({ name, state }) => name === pod.name && state === "gone");
				},
				{ withinMs: readyMs, what: `the end of ${pod.name}` },
			);
		}

		it("starts a pod that becomes ready and tells where it is", async () => {
			await runtime.create(podSpecFor(id, 1));
			expect(await one()).to.include({ name: `session-${id}-g1`, sessionId: id, generation: 1 });
			const ready = await inState("ready");
			expect(ready.address).to.match(/^http:\/\/[^/]+$/);
			expect(ready.agent_title).to.be.a("string").that.is.not.equal("");
			expect(ready.timings).to.have.property("spawned");
			expect(ready).not.to.have.property("failure");
		});

		it("shows every process of the platform the same pods", async () => {
			await runtime.create(podSpecFor(id, 1));
			const ready = await inState("ready");
			const other = world.runtime();
			expect(await other.find(id)).to.deep.equal([ready]);
			expect((await other.inventory()).pods).to.deep.equal([ready]);
			expect(await other.find(randomUUID())).to.deep.equal([]);
		});

		it("starts one pod for repeated and concurrent requests", async () => {
			await Promise.all([runtime.create(podSpecFor(id, 1)), world.runtime().create(podSpecFor(id, 1))]);
			const ready = await inState("ready");
			await world.runtime().create(podSpecFor(id, 1));
			await runtime.create(podSpecFor(id, 1));
			expect(await one()).to.deep.equal(ready);
		});

		it("starts nothing beside a pod of another launch", async () => {
			await runtime.create(podSpecFor(id, 1));
			await inState("ready");
			const refusal = await world
				.runtime()
				.create(podSpecFor(id, 2))
				.catch((error: unknown) => error);
			expect(refusal)
				.to.be.an("error")
				.with.property("message", `Cannot start "session-${id}-g2" while "session-${id}-g1" lives`);
			expect((await one())?.generation).to.equal(1);
		});

		it("ends a pod in order, also repeatedly, and keeps its records until they are forgotten", async () => {
			await runtime.create(podSpecFor(id, 1));
			const ready = await inState("ready");
			await runtime.end(ready, graceMs);
			await world.runtime().end(ready, graceMs);
			await inState("gone");
			await runtime.end(ready, graceMs);
			await runtime.create(podSpecFor(id, 1));
			expect((await one())?.state).to.equal("gone");
			await runtime.forget(ready);
			await runtime.forget(ready);
			expect(await runtime.find(id)).to.deep.equal([]);
		});

		it("begins no step for which nobody waits any more", async () => {
			const reason = new Error("The pass is over");
			const over = AbortSignal.abort(reason);
			const refusal = (step: Promise<unknown>) => step.catch((error: unknown) => error);
			expect(await refusal(runtime.find(id, over))).to.equal(reason);
			expect(await refusal(runtime.create(podSpecFor(id, 1), over))).to.equal(reason);
			expect(await runtime.find(id)).to.deep.equal([]);
			await runtime.create(podSpecFor(id, 1));
			const ready = await inState("ready");
			expect(await refusal(runtime.end(ready, 0, over))).to.equal(reason);
			expect((await one())?.state).to.equal("ready");
			const left = await gone(ready);
			expect(await refusal(runtime.forget(left, over))).to.equal(reason);
			expect(await refusal(runtime.purge(id, over))).to.equal(reason);
			expect((await one())?.state).to.equal("gone");
		});

		it("refuses to forget a pod that lives", async () => {
			await runtime.create(podSpecFor(id, 1));
			const ready = await inState("ready");
			expect(await runtime.forget(ready).catch((error: unknown) => error)).to.be.an("error");
			expect((await one())?.state).to.equal("ready");
		});

		it("keeps the workspace for the next launch and when the session is purged, until it is removed", async () => {
			await runtime.create(podSpecFor(id, 1));
			const first = await inState("ready");
			expect(await runtime.purge(id).catch((error: unknown) => error)).to.be.an("error");
			await runtime.forget(await gone(first));
			expect(world.hasWorkspace(id)).to.equal(true);
			expect((await world.runtime().inventory()).workspaces).to.include(id);
			await runtime.create(podSpecFor(id, 2));
			await gone(await inState("ready"));
			await runtime.purge(id);
			await world.runtime().purge(id);
			expect(world.hasWorkspace(id)).to.equal(true);
			expect(await runtime.find(id)).to.deep.equal([]);
			await runtime.removeWorkspace(id);
			await world.runtime().removeWorkspace(id);
			expect(world.hasWorkspace(id)).to.equal(false);
			expect((await runtime.inventory()).workspaces).not.to.include(id);
		});

		it("runs the pod of another session in a workspace that is free, and measures it", async () => {
			const { signal } = new AbortController();
			expect(await runtime.measureWorkspace(id, { signal })).to.include({ bytes: 0 });
			await runtime.create(podSpecFor(id, 1));
			await runtime.forget(await gone(await inState("ready")));
			await runtime.purge(id);
			const workspace_id = id;
			id = randomUUID();
			await runtime.create({ ...podSpecFor(id, 1), workspace_id });
			await runtime.forget(await gone(await inState("ready")));
			await runtime.purge(id);
			expect(world.hasWorkspace(workspace_id)).to.equal(true);
			expect((await runtime.inventory()).workspaces)
				.to.include(workspace_id)
				.and.not.to.include(id);
			expect((await runtime.measureWorkspace(workspace_id, { signal })).bytes).to.be.above(0);
			await runtime.removeWorkspace(workspace_id);
			expect(await runtime.measureWorkspace(workspace_id, { signal })).to.include({ bytes: 0 });
		});

		it("leaves its pods running when it is closed", async () => {
			const former = world.runtime();
			await former.open();
			await former.create(podSpecFor(id, 1));
			const ready = await inState("ready");
			await former.close();
			expect(await runtime.find(id)).to.deep.equal([ready]);
		});

		it("notices within five seconds that an agent was killed", async () => {
			await runtime.create(podSpecFor(id, 1));
			await world.kill(await inState("ready"));
			const dead = await eventually(async () => (await one())?.state !== "ready" && one(), { withinMs: 5_000 });
			expect(dead.state).to.be.oneOf(["failed", "gone"]);
		});

		it("reports every change until the signal aborts", async () => {
			const watching = new AbortController();
			const changed: string[] = [];
			const found: (Pod["state"] | undefined)[] = [];
			const watcher = world.runtime();
			watcher.watch((sessionId) => {
				changed.push(sessionId);
				void watcher.find(sessionId).then(([pod]) => found.push(pod?.state));
			}, watching.signal);
			await runtime.create(podSpecFor(id, 1));
			const ready = await inState("ready");
			await eventually(() => found.at(-1) === "ready");
			await gone(ready);
			await eventually(() => found.at(-1) === "gone");
			expect([...new Set(changed)]).to.deep.equal([id]);
			watching.abort();
			changed.length = 0;
			await runtime.forget(ready);
			await runtime.create(podSpecFor(id, 2));
			await inState("ready");
			expect(changed).to.deep.equal([]);
		});
	});
}
