/**
 * Warm containers of a platform that was killed, at an engine that a test plays: what the next one does with them.
 * Long: a container is started 1.5 s after the last launch, so that each case takes some seconds.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { WarmWorld } from "../../support/containers/warm-world.ts";
import { eventually } from "../../support/eventually.ts";

describe("warm containers of a platform that was killed", function () {
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
	const told = async (by: ContainersRuntime) => (await by.inventory()).troubles.join("\n");

	it("that got a session from it are finished by the next one", async () => {
		const waiting = await world.warmed();
		await world.kill(runtime);
		world.give(waiting, name);
		// The place of its sockets has what another attempt left.
		mkdirSync(run("in"), { recursive: true });
		writeFileSync(run("in", "api.sock"), "");
		const next = world.runtime();
		await next.open();
		expect(statSync(run("in", "api.sock")).isSocket()).to.equal(true);
		expect(existsSync(join(world.dataDir, "sessions", id))).to.equal(true);
		expect(existsSync(world.folder("run", waiting))).to.equal(false);
		expect((await next.find(id)).map(({ state }) => state)).to.deep.equal(["launching"]);
	});

	/** Lets a session have got a container whose folders cannot be moved, from it. Resolves to the next one. */
	async function unfinished(): Promise<ContainersRuntime> {
		const waiting = await world.warmed();
		await world.kill(runtime);
		world.give(waiting, name);
		const files = join(world.dataDir, "sessions", id);
		mkdirSync(files);
		writeFileSync(join(files, "in-the-way"), "");
		const next = world.runtime();
		await next.open();
		expect(await told(next)).to.match(/Cannot bring the folders of 1 warm container.* of "session-.*ENOTEMPTY/);
		return next;
	}

	it("that cannot get the folders of their session are told, until they can", async () => {
		const next = await unfinished();
		rmSync(join(world.dataDir, "sessions", id), { recursive: true });
		const watching = new AbortController();
		next.watch(() => {}, watching.signal);
		await eventually(async () => (await told(next)) === "", { withinMs: 30_000, what: "the folders are there" });
		watching.abort();
		expect(existsSync(run("in", "api.sock"))).to.equal(true);
	});

	it("that cannot get the folders of their session are told no more when another process has removed them", async () => {
		const next = await unfinished();
		world.engine.end(name, { code: 0 });
		await world.runtime().purge(id);
		expect(await told(next)).to.equal("");
	});

	it("are removed by the next one, which may want none", async () => {
		const waiting = await world.warmed();
		await world.kill(runtime);
		world.warm = 0;
		await world.runtime().open();
		await eventually(() => !world.engine.containers.has(waiting), { withinMs: 10_000 });
		await eventually(() => world.folders.length === 0);
	});

	it("keep their folders when they get a session just before they are removed", async () => {
		const waiting = await world.warmed();
		await world.kill(runtime);
		world.warm = 0;
		world.meanwhile(`${waiting}/stop`, () => world.give(waiting, name));
		const next = world.runtime();
		await next.open();
		await eventually(() => world.engine.calls.includes(`DELETE /containers/${waiting}`), { withinMs: 10_000 });
		await next.close();
		expect(world.folders).to.have.length(2);
		await world.runtime().open();
		expect(existsSync(run("in", "api.sock"))).to.equal(true);
	});

	it("leave folders that are removed when no process can be creating a container any more", async () => {
		await world.warmed();
		await world.kill(runtime);
		const [young, old] = ["0123456789abcdef", "fedcba9876543210"];
		const past = Date.now() / 1_000 - 100;
		for (const one of [young, old]) mkdirSync(world.folder("run", one), { recursive: true });
		utimesSync(world.folder("run", old), past, past);
		world.warm = 0;
		await world.runtime().open();
		await eventually(() => !world.folders.includes(old), { withinMs: 10_000 });
		expect(world.folders).to.include(young);
	});

	it("are started although those of it cannot be removed, which is told", async () => {
		const waiting = await world.warmed();
		await world.kill(runtime);
		world.engine.silent = (call) => call.includes(`${waiting}/stop`);
		runtime = world.runtime();
		await runtime.open();
		await world.warmed(2);
		await eventually(async () => (await told(runtime)).includes("warm containers that nobody has"), {
			withinMs: 10_000,
		});
		world.engine.silent = () => false;
		await eventually(() => !world.engine.containers.has(waiting), { withinMs: 30_000 });
		await eventually(async () => (await told(runtime)) === "", { withinMs: 10_000 });
	});
});
