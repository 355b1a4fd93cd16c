/**
 * Warm containers at an engine that a test plays: how a session gets one, and what becomes of those that nobody gets.
 * Long: a container is started 1.5 s after the last launch, so that each case takes some seconds.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { agentLog, socketFolders } from "#services/pod-manager/pod-runtimes/containers/container-request.ts";
import type { PodSpec } from "#services/pod-manager/pod-runtime.ts";
import { WarmWorld } from "../../support/containers/warm-world.ts";
import { eventually } from "../../support/eventually.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

describe("warm containers", function () {
	this.timeout(60_000);
	let world: WarmWorld;
	let runtime: ContainersRuntime;
	let id: string;
	let name: string;

	beforeEach(async () => {
		world = new WarmWorld();
		id = randomUUID();
		name = `session-${id}-g1`;
		runtime = await world.open();
	});
	afterEach(() => world[Symbol.asyncDispose]());

	const run = (...parts: string[]) => join(world.dataDir, "run", `${id}-g1`, ...parts);
	const warmOf = (of: string) => world.engine.containers.get(of)?.request.Labels["atelier.warm"];
	const troubles = async () => (await runtime.inventory()).troubles;

	it("are given to the next session: its agent asks at the door, which is open when it is let go", async () => {
		const waiting = await world.warmed();
		world.engine.startedBefore(waiting, 3_600_000);
		const agent = world.agents.get(waiting);
		await runtime.create(podSpecFor(id, 1));
		await agent?.letGo;
		expect(`atelier-warm-${warmOf(name)}`).to.equal(waiting);
		expect(existsSync(run("in", "api.sock"))).to.equal(true);
		expect(existsSync(run("in", "waiting.sock"))).to.equal(false);
		expect(existsSync(join(world.dataDir, "sessions", id))).to.equal(true);
		expect(world.folders).to.deep.equal([]);
		// It was started an hour ago, and has its launch since a moment.
		const [pod] = await runtime.find(id);
		expect(pod).to.include({ state: "launching", name }).and.not.to.have.property("waiting");
		expect(await world.warmed()).not.to.equal(waiting);
		expect([...world.engine.containers.keys()]).to.have.length(2);
	});

	it("have folders that the user of sessions may enter, whatever the mask of the platform is", async () => {
		await world[Symbol.asyncDispose]();
		const before = process.umask(0o077);
		try {
			world = new WarmWorld();
			runtime = await world.open();
			const folders = join(world.dataDir, "run", ".warm", String(warmOf(await world.warmed())));
			const modes = ["in", "out"].map((folder) => statSync(join(folders, folder)).mode & 0o777);
			expect(modes).to.deep.equal([0o755, 0o777]);
		} finally {
			process.umask(before);
		}
	});

	it("differ from a new container in their labels and the wait only", async () => {
		const waiting = await world.warmed();
		const { request: warm } = world.engine.containers.get(waiting)!;
		await runtime.create({ ...podSpecFor(id, 1), resource_config: { memory: "2Gi" } });
		const { request: cold } = world.engine.containers.get(name)!;
		const { Memory, MemorySwap, Mounts: _mounts, Tmpfs, ...confined } = warm.HostConfig;
		expect([Memory, MemorySwap]).to.deep.equal([2 ** 32, 2 ** 32]);
		expect(cold.HostConfig).to.deep.include(confined);
		expect(Tmpfs).to.deep.equal(cold.HostConfig.Tmpfs);
		const targets = ({ HostConfig }: typeof cold) =>
			HostConfig.Mounts?.map(({ Target, ReadOnly }) => [Target, ReadOnly]);
		expect(targets(warm)).to.deep.equal(targets(cold));
		const { HostConfig: _one, Labels: _labels, Cmd, ...rest } = warm;
		expect(cold).to.deep.include(rest);
		expect(Cmd).to.deep.equal([...(cold.Cmd ?? []), "--wait-at", "/run/atelier/in/waiting.sock"]);
	});

	const others: Record<string, (spec: PodSpec) => PodSpec> = {
		"asks for other bounds": (spec) => ({ ...spec, resource_config: { cpu: "500m" } }),
		"has the workspace of another session": (spec) => ({ ...spec, workspace_id: randomUUID() }),
		"has files already": (spec) => {
			mkdirSync(join(world.dataDir, "sessions", id));
			return spec;
		},
		"has the folder of its sockets already": (spec) => {
			mkdirSync(run("in"), { recursive: true });
			return spec;
		},
	};
	for (const [what, change] of Object.entries(others))
		it(`are not for a session that ${what}`, async () => {
			const waiting = await world.warmed();
			await runtime.create(change(podSpecFor(id, 1)));
			expect(warmOf(name)).to.equal(undefined);
			expect(world.waiting).to.deep.equal([waiting]);
		});

	it("are for a session that asks for the usual bounds, and for a disk of any size", async () => {
		await world.warmed();
		await runtime.create({ ...podSpecFor(id, 1), resource_config: { memory: "4Gi", disk: "30Gi" } });
		expect(warmOf(name)).to.be.a("string");
	});

	it("of an image that has got a successor keep no session waiting until they have ended", async () => {
		const waiting = await world.warmed();
		world.engine.imageId = "sha256:2";
		world.engine.silent = (call) => call.includes(`${waiting}/stop`);
		const began = Date.now();
		await runtime.create(podSpecFor(id, 1));
		// The engine is asked for 3 s to end one.
		expect(Date.now() - began).to.be.below(2_500);
		expect(world.engine.calls).to.include(`POST /containers/${waiting}/stop`);
		expect(world.engine.containers.get(name)?.status).to.equal("running");
	});

	it("are replaced when their image has got a successor", async () => {
		const waiting = await world.warmed();
		world.engine.imageId = "sha256:2";
		await runtime.create(podSpecFor(id, 1));
		expect(warmOf(name)).to.equal(undefined);
		await eventually(() => !world.engine.containers.has(waiting), { withinMs: 10_000 });
		expect(await world.warmed()).not.to.equal(waiting);
	});

	for (const [what, status] of Object.entries({ "have another container of that name": 409, "not know the call": 403 }))
		it(`make way for a new container at an engine that may ${what}`, async () => {
			const waiting = await world.warmed();
			world.engine.refused = { rename: { status, message: "refused" } };
			await runtime.create(podSpecFor(id, 1));
			expect(warmOf(name)).to.equal(undefined);
			expect(world.engine.containers.get(name)?.status).to.equal("running");
			expect(existsSync(run("in", "api.sock"))).to.equal(true);
			await eventually(() => !world.engine.containers.has(waiting));
			await eventually(() => !existsSync(world.folder("sessions", waiting)));
		});

	it("are the session's when an engine has renamed them and refuses the call that is repeated", async () => {
		const waiting = await world.warmed();
		world.meanwhile("/rename", () => world.give(waiting, name));
		await runtime.create(podSpecFor(id, 1));
		expect(`atelier-warm-${warmOf(name)}`).to.equal(waiting);
		expect(existsSync(run("in", "api.sock"))).to.equal(true);
		expect(world.folders).to.deep.equal([]);
	});

	it("are ended when the session has got that of another process meanwhile", async () => {
		const waiting = await world.warmed();
		const container = world.engine.containers.get(waiting)!;
		const Labels = { ...container.request.Labels, "atelier.warm": "fedcba9876543210" };
		const others = { ...container, name, request: { ...container.request, Labels } };
		writeFileSync(join(world.folder("sessions", waiting), "of-its-agent"), "");
		world.meanwhile("/rename", () => void world.engine.containers.set(name, others));
		await runtime.create(podSpecFor(id, 1));
		expect(warmOf(name)).to.equal("fedcba9876543210");
		expect(existsSync(join(world.dataDir, "sessions", id, "of-its-agent"))).to.equal(false);
		await eventually(() => !world.engine.containers.has(waiting));
		await eventually(() => !existsSync(world.folder("sessions", waiting)));
	});

	it("that an engine may have given to a session or not get their launch from the one who knows", async () => {
		const waiting = await world.warmed();
		world.engine.silent = (call) => call.includes("/rename");
		const refusal = await runtime.create(podSpecFor(id, 1)).catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(Error);
		expect(existsSync(run("in"))).to.equal(false);
		expect(existsSync(join(world.folder("run", waiting), "in", "api.sock"))).to.equal(false);
		world.engine.silent = () => false;
		await runtime.create(podSpecFor(id, 1));
		expect(`atelier-warm-${warmOf(name)}`).not.to.equal(waiting);
		expect(world.engine.containers.get(name)?.status).to.equal("running");
		await eventually(() => !world.engine.containers.has(waiting), { withinMs: 10_000 });
	});

	it("of two processes of a machine are each one's own", async () => {
		const first = await world.warmed();
		const other = world.runtime();
		await other.open();
		await world.warmed(2);
		expect(world.waiting).to.include(first);
		await other.create(podSpecFor(id, 1));
		expect(`atelier-warm-${warmOf(name)}`).not.to.equal(first);
		expect(world.waiting).to.include(first);
		await other.close();
		await eventually(() => world.waiting.length === 1, { withinMs: 10_000 });
		expect(world.waiting).to.deep.equal([first]);
	});

	it("are told when they cannot be started, and started again when they can", async () => {
		world.engine.refused = { create: { status: 500, message: "no room" } };
		await eventually(async () => (await troubles()).join().includes("no room"), { withinMs: 10_000 });
		world.engine.refused = {};
		await world.warmed();
		expect(await troubles()).to.deep.equal([]);
	});

	it("are replaced when their agent ends", async () => {
		const waiting = await world.warmed();
		writeFileSync(join(world.folder("run", waiting), socketFolders.agent, agentLog), "Cannot go on: no room\n");
		world.agents.get(waiting)?.channel.destroy();
		await eventually(() => !world.engine.containers.has(waiting), { withinMs: 10_000 });
		expect((await troubles()).join()).to.include("One that waited has ended: Cannot go on: no room");
		expect(await world.warmed()).not.to.equal(waiting);
		expect(world.folders).to.have.length(2);
	});
});

describe("the end of a platform with warm containers", function () {
	this.timeout(60_000);
	let world: WarmWorld;

	beforeEach(() => {
		world = new WarmWorld();
	});
	afterEach(() => world[Symbol.asyncDispose]());

	const steps = ["GET /images/", "POST /containers/create", "/start", "its agent loads"] as const;

	/** Resolves when a container is being started and has come to this step. */
	async function startedUntil(step: string, isSilent = false): Promise<ContainersRuntime> {
		world.arePlayed = false;
		const reached = Promise.withResolvers<void>();
		const isThere = (call: string) => step === "its agent loads" && call.endsWith("/start");
		const runtime = await world.open();
		world.engine.silent = (call) => isSilent && call.includes(step);
		world.engine.heard = (call) => {
			if (isThere(call) || call.includes(step)) reached.resolve();
		};
		await reached.promise;
		return runtime;
	}

	for (const step of steps)
		it(`leaves none of one that was being started: ${step}`, async () => {
			const runtime = await startedUntil(step);
			const began = Date.now();
			await runtime.close();
			expect(Date.now() - began).to.be.below(9_000);
			await eventually(() => world.waiting.length === 0);
			expect(world.folders).to.deep.equal([]);
		});

	for (const step of steps.slice(0, 3))
		it(`does not wait for an engine that is silent: ${step}`, async () => {
			const runtime = await startedUntil(step, true);
			world.engine.silent = () => true;
			const began = Date.now();
			await runtime.close();
			expect(Date.now() - began).to.be.below(3 * 6_000);
			world.engine.silent = () => false;
		});

	it("leaves the folders of one that the engine may still create", async () => {
		const runtime = await startedUntil("POST /containers/create", true);
		await runtime.close();
		expect(world.engine.calls.at(-1)).to.match(/^DELETE .containers.atelier-warm-/);
		expect(world.folders).to.have.length(2);
	});

	it("ends those that wait", async () => {
		const runtime = await world.open();
		await world.warmed();
		await runtime.close();
		expect(world.waiting).to.deep.equal([]);
		expect(world.folders).to.deep.equal([]);
	});
});
