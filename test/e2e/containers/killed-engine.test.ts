/**
 * An engine that is killed or restarted below sessions, and a platform that is killed with it: nothing is lost, doubled or left, and
 * the books have what the model bills.
 * Night: it starts a Docker engine several times, and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineRuntimes } from "#services/pod-manager/chosen-runtime.ts";
import { callPrice, ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";

const liveRestore = ["--live-restore"];

describe("an engine that ends below sessions in containers", function () {
	this.timeout(240_000);
	let world: ContainedPlatform;
	let before: string;
	const rest = () => `${world.engine.run("docker", "ps", "-aq")} ${world.engine.run("docker", "volume", "ls", "-q")}`;

	beforeEach(async () => {
		world = await ContainedPlatform.start({ engine: liveRestore });
		before = rest();
	});
	afterEach(() => world?.[Symbol.asyncDispose]());

	async function platformKilled(): Promise<void> {
		for (const one of world.platform.processes) await one.kill();
	}

	/** Deletes all sessions, and compares what is left with what was there before. */
	async function leavesNothing(): Promise<void> {
		const { body } = await world.api.get<{ id: string }[]>("/sessions");
		await Promise.all(body.map(({ id }) => world.api.delete(`/sessions/${id}`)));
		await eventually(() => rest() === before, { withinMs: 90_000, what: "containers and volumes are as before" });
		const launches = () => readdirSync(join(world.platform.dataDir, "run")).filter((name) => !name.startsWith("."));
		await eventually(() => launches().length === 0, { withinMs: 30_000, what: "no record of a launch is left" });
	}

	it("goes on with sessions whose engine was killed, also together with the platform, when it restores them", async () => {
		const { api, engine } = world;
		const id = await world.running();
		expect(await ask(api, id, "hello")).to.include("A word.");
		const started = () => engine.run("docker", "inspect", "--format", "{{.State.StartedAt}}", ...world.containers(id));
		const first = started();
		await engine.stop("SIGKILL");
		expect(await ask(api, id, "without the engine")).to.include("A word.");
		await engine.startAgain();
		await Promise.all([engine.stop("SIGKILL"), platformKilled()]);
		await engine.startAgain();
		await world.platform.start();
		await sessionReaches(api, id, "running", 60_000);
		expect(await ask(api, id, "again")).to.include("A word.");
		await engine.stop();
		await engine.startAgain();
		await sessionReaches(api, id, "running", 60_000);
		expect(await ask(api, id, "a last time")).to.include("A word.");
		expect(world.containers(id)).to.have.length(1);
		expect(started()).to.equal(first);
		await world.spends(id, 4 * callPrice);
		await leavesNothing();
	});

	it("starts and removes sessions late that were created and deleted while it was away", async () => {
		const { api, engine } = world;
		const doomed = await world.running();
		await engine.stop("SIGKILL");
		await api.delete(`/sessions/${doomed}`);
		const id = await world.create();
		const why = async () => (await world.session(id)).status_reason?.code;
		await eventually(async () => (await why()) === "ENGINE_UNREACHABLE", {
			withinMs: 20_000,
			what: "the wait is told",
		});
		await engine.startAgain();
		await sessionReaches(api, id, "running", 60_000);
		await eventually(() => world.containers(doomed).length === 0, {
			withinMs: 60_000,
			what: "the deleted one is gone",
		});
		expect(world.containers(id)).to.have.length(1);
		expect(await ask(api, id, "hello")).to.include("A word.");
		await leavesNothing();
	});

	it("keeps a start with processes away from sessions in containers, also while it is away itself", async () => {
		const { api, engine, platform } = world;
		const id = await world.running();
		await platform.stop();
		const config = join(platform.folder, "processes.yaml");
		writeFileSync(config, `pods: { runtime: { adapter: "${machineRuntimes.processes}" } }\n`);
		const refused = async () => {
			const started = platform.startProcess([], { ATELIER_CONFIG: config });
			return { code: await started.ended(60_000), output: started.output };
		};
		const known = await refused();
		expect(known.code, known.output).to.equal(78);
		expect(known.output).to.include("Sessions still run in containers").and.include(id);
		await engine.stop("SIGKILL");
		const blind = await refused();
		expect(blind.code, blind.output).to.equal(1);
		expect(blind.output).to.include("Cannot tell whether sessions still run in containers");
		await engine.startAgain();
		await platform.start();
		await sessionReaches(api, id, "running", 60_000);
		expect(await ask(api, id, "hello")).to.include("A word.");
		expect(world.containers(id)).to.have.length(1);
		await leavesNothing();
	});

	for (const signal of ["SIGTERM", "SIGKILL"] as const)
		it(`tells the end of sessions that end with it (${signal}), and they start again with their files`, async () => {
			const { api, engine } = world;
			await engine.stop();
			await engine.startAgain([]);
			const id = await world.running({ model: "" });
			await ask(api, id, "$ echo kept > note");
			await engine.stop(signal);
			await engine.startAgain([]);
			const hasFailed = async () => (await world.session(id)).status === "failed";
			await eventually(hasFailed, { withinMs: 60_000, what: "the session has failed" });
			expect((await world.session(id)).error).to.be.a("string");
			expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
			await sessionReaches(api, id, "running", 60_000);
			expect(await ask(api, id, "$ cat note")).to.equal("kept\n");
			expect(world.containers(id)).to.have.length(1);
			await leavesNothing();
		});
});
