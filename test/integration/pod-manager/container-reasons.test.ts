/** The reasons for which sessions in containers wait and fail, at an engine whose containers the test plays. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { refusalFor } from "#services/pod-manager/pod-runtimes/containers/reasons/engine-refusals.ts";
import { FakedRuntime } from "../../support/containers/faked-runtime.ts";
import { eventually } from "../../support/eventually.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

describe("the reasons of sessions in containers", () => {
	let world: FakedRuntime;
	let runtime: ContainersRuntime;
	let id: string;
	let name: string;

	beforeEach(async () => {
		world = new FakedRuntime();
		runtime = await world.open();
		id = randomUUID();
		name = `session-${id}-g1`;
	});
	afterEach(() => world[Symbol.asyncDispose]());

	const create = () => runtime.create(podSpecFor(id, 1));
	const refusal = () => create().then(() => undefined, asRefused);
	const one = async (): Promise<Pod | undefined> => (await runtime.find(id))[0];

	function asRefused(error: unknown): { code: string; final: boolean; message: string } {
		if (!(error instanceof PodRefused)) throw error;
		const { code, final, message } = error;
		return { code, final, message };
	}

	async function endedWith(how: { code: number; log?: string; isOutOfMemory?: boolean }): Promise<string | undefined> {
		world.engine.end(name, how);
		const pod = await one();
		expect(pod?.state).to.equal("gone");
		return pod?.failure?.code;
	}

	it("tells after 20 s that a container cannot reach the platform, until its agent reports", async () => {
		await create();
		expect((await one())?.waiting).to.equal(undefined);
		world.engine.startedBefore(name, 19_000);
		expect((await one())?.waiting).to.equal(undefined);
		world.engine.startedBefore(name, 21_000);
		expect((await one())?.waiting?.code).to.equal("POD_CANNOT_REACH_PLATFORM");
		await world.engine.report(name, { phase: "starting" });
		expect(await one())
			.to.include({ state: "launching" })
			.and.not.have.property("waiting");
	});

	it("says the same of an agent that has given up", async () => {
		await create();
		world.engine.startedBefore(name, 61_000);
		expect(await endedWith({ code: 65 })).to.equal("POD_CANNOT_REACH_PLATFORM");
	});

	it("tells that the workspace is held when a container does not end in its time", async () => {
		await create();
		await world.engine.report(name, { phase: "ready" });
		world.engine.isObeyed = false;
		const pod = await one();
		if (pod) await runtime.end(pod, 20_000);
		expect(await one())
			.to.include({ state: "leaving" })
			.and.not.have.property("waiting");
		world.endingBefore({ sessionId: id, generation: 1 }, 31_000);
		const { waiting } = (await one()) ?? {};
		expect(waiting?.code).to.equal("WORKSPACE_HELD");
		expect(waiting?.message).to.include(`"${name}"`);
	});

	for (const [call, status, message, code, final] of [
		["create", 400, "invalid mount config: bind source path does not exist: /x", "VOLUME_MOUNT_FAILED", false],
		["create", 400, "invalid reference format", "IMAGE_INVALID", true],
		["create", 400, "Range of CPUs is from 0.01 to 2.00", "POD_INVALID", true],
		["create", 403, "HostConfig.Memory may not have this value", "POD_FORBIDDEN", true],
		["create", 404, "No such image: atelier/session", "IMAGE_PULL_FAILED", false],
		["create", 500, "write /x/y: no space left on device", "DISK_FULL", false],
		["start", 500, `could not select device driver "" with capabilities: [[gpu]]`, "UNSCHEDULABLE", true],
		["start", 500, "mkdir /x/y: no space left on device", "DISK_FULL", false],
	] as const) {
		it(`refuses with ${code} when the engine answers ${status} to ${call}`, async () => {
			world.engine.refused[call] = { status, message };
			const refused = await refusal();
			expect(refused).to.include({ code, final });
			// People are told no paths of the machine.
			expect(refused?.message).to.not.include("/x");
			world.engine.refused = {};
			if (final) return;
			expect(await runtime.find(id)).to.deep.equal([]);
			await create();
			expect((await one())?.state).to.equal("launching");
		});
	}

	it("waits for a disk that the platform itself finds full", () => {
		const error = Object.assign(new Error("write"), { code: "ENOSPC" });
		expect(refusalFor(error)).to.include({ code: "DISK_FULL", final: false });
		expect(refusalFor(Object.assign(new Error("write"), { code: "EACCES" }))).to.equal(undefined);
	});

	it("explains an end by itself with what the container shows", async () => {
		await create();
		await world.engine.report(name, { phase: "ready" });
		expect(await endedWith({ code: 137, isOutOfMemory: true })).to.equal("OUT_OF_MEMORY");
		expect(await endedWith({ code: 3, isOutOfMemory: true })).to.equal("AGENT_CRASHED");
		expect(await endedWith({ code: 137 })).to.equal(undefined);
	});

	it("warns a session whose command has used up the memory, when its agent goes on", async () => {
		await create();
		await world.engine.report(name, { phase: "ready", warnings: ["its own"] });
		await world.followed();
		world.engine.tell(name, "oom");
		const warnings = await eventually(async () => {
			const told = (await one())?.warnings ?? [];
			return told.length > 1 && told;
		});
		expect(warnings).to.have.length(2);
		expect(warnings[0]).to.equal("its own");
		expect(warnings[1]).to.match(/^A command used more memory than the session may have, and was ended at 2/);
		expect(await one()).to.include({ state: "ready" });
	});

	it("adds the last lines of a container that failed, bounded and without control characters", async () => {
		await create();
		world.engine.end(name, { code: 127, log: `${"x".repeat(5_000)}\n\u001b[31mloader missing\u202e` });
		const { failure } = (await one()) ?? {};
		expect(failure?.code).to.equal("CONTAINER_FAILED");
		expect(failure?.message).to.match(/\(127\): …x+\n\[31mloader missing$/);
		expect(failure?.message.length).to.be.at.most(500);
	});

	it("tells a stopped engine from a container that ended by itself", async () => {
		await create();
		await world.engine.report(name, { phase: "ready" });
		await world.followed();
		await world.engine.stop();
		world.engine.end(name, { code: 137 });
		await world.engine.start();
		await world.followed();
		expect((await one())?.failure?.code).to.equal("NODE_SHUTDOWN");
	});

	for (const [signal, code] of [
		["15", "NODE_SHUTDOWN"],
		["9", "AGENT_CRASHED"],
	] as const) {
		it(`says ${code} of a container that the engine has sent the signal ${signal} before it ended`, async () => {
			await create();
			await world.engine.report(name, { phase: "ready" });
			await world.followed();
			world.engine.tell(name, "kill", { signal });
			world.engine.end(name, { code: 0 });
			await eventually(async () => (await one())?.failure?.code === code);
		});
	}

	it("takes the end of one container for its own when the others outlive their engine", async () => {
		await world[Symbol.asyncDispose]();
		world = new FakedRuntime();
		world.engine.keepsContainers = true;
		runtime = await world.open();
		await world.followed();
		await create();
		await world.engine.report(name, { phase: "ready" });
		await world.engine.stop();
		world.engine.end(name, { code: 137 });
		await world.engine.start();
		await world.followed();
		expect(await one())
			.to.include({ state: "gone" })
			.and.not.have.property("failure");
	});

	it("knows a container from before the machine was started", async () => {
		await create();
		await world.engine.report(name, { phase: "ready" });
		world.engine.startedBefore(name, 20 * 365 * 86_400_000);
		expect(await endedWith({ code: 255 })).to.equal("NODE_SHUTDOWN");
	});
});
