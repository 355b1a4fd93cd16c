/**
 * Sessions in containers that were started ahead of them, at a real engine: they are what others are, and a platform that is killed
 * or stopped at any step leaves and doubles nothing.
 * Night: it starts a Docker engine, builds the image of sessions, and starts the platform some ten times.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";

describe("a session in a container that has waited for it", function () {
	this.timeout(300_000);
	let world: ContainedPlatform;

	before(async () => {
		world = await ContainedPlatform.start({ kwargs: { warm: 1 } });
	});
	after(() => world?.[Symbol.asyncDispose]());

	/** Returns the folders of containers that wait. */
	function folders(): string[] {
		const all = ["run", "sessions"].map((kind) => join(world.platform.dataDir, kind, ".warm"));
		return all.flatMap((path) => (existsSync(path) ? readdirSync(path) : []));
	}

	async function stopped(): Promise<void> {
		for (const one of world.platform.processes) await one.stop();
	}

	/** Starts the platform with a point at which it kills itself, and resolves when it has done so after `send`. */
	async function diesAt(point: string, send: () => Promise<unknown>): Promise<void> {
		await stopped();
		world.platform.processes = [world.platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` })];
		await world.platform.ready();
		await send();
		await world.platform.processes[0]?.ended(60_000);
	}

	/** Returns the bounds and switches of the container of a session, without the paths of its folders. */
	function confinement(id: string): unknown {
		const { HostConfig, Config } = JSON.parse(
			world.engine.run("docker", "inspect", "-f", "{{json .}}", ...world.containers(id)),
		) as { HostConfig: { Mounts: { Source: string }[] }; Config: { User: string; Env: string[]; Image: string } };
		const { User, Env, Image } = Config;
		const Mounts = HostConfig.Mounts.map(({ Source: _path, ...mount }) => mount);
		return { ...HostConfig, Mounts, User, Env, Image };
	}

	it("has the bounds, the rights and the ways of a new one, and keeps its files for the next launch", async () => {
		// The names of layers, the number of the launch and the mark of its coding agent differ between any two containers.
		const asking = await world.running();
		expect(world.hasWaited(asking)).to.equal(true);
		expect(await ask(world.api, asking, "hello")).to.include("A word.");
		const id = await world.running({ model: "" });
		expect(world.hasWaited(id)).to.equal(true);
		const seen = async () => [
			await ask(
				world.api,
				id,
				"$ grep -E '^(Uid|Gid|Cap|NoNewPrivs|Seccomp:)' /proc/self/status; cut -d' ' -f3,4 /proc/self/mounts | sed -E 's#(lower|upper|work)dir=[^, ]*#\\1dir#g'",
			),
			await ask(
				world.api,
				id,
				"$ ls /run/atelier/in /sys/class/net /session; cat /sys/fs/cgroup/memory/memory.limit_in_bytes",
			),
			await ask(world.api, id, "$ git ls-remote http://169.254.169.254/a.git 2>&1"),
			await ask(world.api, id, "$ env | sort | grep -v -i token | grep -v -E '^ATELIER_(GENERATION|CODING_AGENT)='"),
		];
		const [confinedWarm, seenWarm] = [confinement(id), await seen()];
		expect(seenWarm.join()).to.include("403");
		expect(await ask(world.api, id, "$ echo mine > kept; cat kept")).to.equal("mine\n");
		await world.api.post(`/sessions/${id}/stop`, {});
		await sessionReaches(world.api, id, "stopped", 60_000);
		await world.api.post(`/sessions/${id}/start`, {});
		await sessionReaches(world.api, id, "running", 60_000);
		expect(world.hasWaited(id)).to.equal(false);
		expect(confinement(id)).to.deep.equal(confinedWarm);
		expect(await seen()).to.deep.equal(seenWarm);
		expect(await ask(world.api, id, "$ cat kept")).to.equal("mine\n");
	});

	it("is no other session's: nothing of one is in the next one, and its files are removed with it", async () => {
		const [one, other] = [await world.running({ model: "" }), await world.running({ model: "" })];
		expect([world.hasWaited(one), world.hasWaited(other)]).to.deep.equal([true, true]);
		expect(
			await ask(world.api, one, "$ echo mine > /session/beside; echo mine > kept; echo mine > ~/kept; ls"),
		).to.include("kept");
		expect(await ask(world.api, other, "$ ls /session /session/workspace ~ /tmp; cat /session/beside")).to.match(
			/No such file/,
		);
		for (const id of [one, other]) await world.api.delete(`/sessions/${id}`);
		// A workspace outlives its session, and is in use until that is gone.
		for (const id of [one, other])
			await eventually(async () => (await world.api.delete(`/workspaces/${id}`)).status === 204, {
				withinMs: 60_000,
				what: "its workspace is deleted",
			});
		const left = () => ["run", "sessions"].flatMap((kind) => readdirSync(join(world.platform.dataDir, kind)));
		await eventually(() => !left().some((name) => name.startsWith(one) || name.startsWith(other)), {
			withinMs: 60_000,
			what: "its files are removed",
		});
		expect([...world.containers(one), ...world.containers(other)]).to.deep.equal([]);
	});

	it("is new when its bounds are others than those of the container that waits", async () => {
		await world.warmed();
		const id = await world.create({ resource_config: { memory: "1Gi" } });
		await sessionReaches(world.api, id, "running", 60_000);
		expect(world.hasWaited(id)).to.equal(false);
	});

	it("leaves none that waits when the platform is stopped in order, and does not delay that", async () => {
		await world.warmed();
		const began = performance.now();
		await stopped();
		expect(performance.now() - began).to.be.below(30_000);
		expect(world.waiting).to.deep.equal([]);
		expect(folders()).to.deep.equal([]);
		await world.platform.start();
	});

	for (const step of ["before-bind", "bound", "moved"])
		it(`is there once when the platform is killed at containers.warm-${step}`, async () => {
			let id = "";
			await diesAt(`containers.warm-${step}`, async () => {
				await world.warmed();
				id = await world.create();
			});
			await world.platform.start();
			await sessionReaches(world.api, id, "running", 90_000);
			expect(world.containers(id)).to.have.length(1);
			expect(world.hasWaited(id)).to.equal(step !== "before-bind");
			expect(await ask(world.api, id, "hello")).to.include("A word.");
			await world.warmed();
			await eventually(() => world.waiting.length === 1 && folders().length === 2, { withinMs: 30_000 });
		});

	for (const step of ["before-create", "created", "started"])
		it(`is waited for by one container after the platform was killed at containers.warm-${step}`, async () => {
			await diesAt(`containers.warm-${step}`, async () => {});
			await world.platform.start();
			await world.warmed();
			// Folders without a container may be those of another process for a minute.
			await eventually(() => world.waiting.length === 1 && folders().length === 2, { withinMs: 120_000 });
		});
});
