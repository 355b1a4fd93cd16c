/** Sessions of a runtime that was used before: they are found while they run, and nothing is asked when there are none. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { machineRuntimes } from "#services/pod-manager/chosen-runtime.ts";
import type { RuntimeHost } from "#services/pod-manager/pod-runtime.ts";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import { refuseLeft } from "#services/pod-manager/runtime-change/former-runtimes.ts";
import { markFile, readMark } from "#services/pod-manager/runtime-change/runtime-mark.ts";
import { SettingError } from "#shared/base/start-error.ts";
import { FakedRuntime } from "../../../../support/containers/faked-runtime.ts";
import { eventually } from "../../../../support/eventually.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { idleRuntimeHost } from "../../../../support/pods/idle-runtime-host.ts";
import { type LocalPods, openLocalPods } from "../../../../support/pods/local-pods.ts";
import { podSpecFor } from "../../../../support/pods/memory-pods.ts";

const inContainers = { adapter: machineRuntimes.containers };
const asProcesses = { adapter: machineRuntimes.processes };

function hostOf(dataDir: string, more: Parameters<typeof idleRuntimeHost>[1] = {}): RuntimeHost {
	return idleRuntimeHost(dataDir, { installation: "0123456789abcdef", markKey: "unused", host: "here", ...more });
}

describe("refuseLeft() with sessions in containers", () => {
	let world: FakedRuntime;
	let runtime: ContainersRuntime;
	let id: string;

	beforeEach(async () => {
		world = new FakedRuntime();
		runtime = await world.open();
		id = randomUUID();
	});
	afterEach(() => world[Symbol.asyncDispose]());

	const refused = () => refuseLeft(asProcesses, hostOf(world.dataDir));
	const start = () => runtime.create(podSpecFor(id, 1));

	it("refuses another runtime while they run, and names them", async () => {
		await start();
		const error = await failureOf<Error>(refused());
		expect(error).to.be.an.instanceOf(SettingError);
		expect(error.message)
			.to.match(/^Sessions still run in containers/)
			.and.include(`"${id}"`);
		await refuseLeft(inContainers, hostOf(world.dataDir));
	});

	it("takes another one when they have ended, although their records and containers are there", async () => {
		await start();
		world.engine.end(`session-${id}-g1`, { code: 0 });
		await refused();
		expect(world.engine.containers.has(`session-${id}-g1`)).to.equal(true);
	});

	it("asks nobody where no session has a record, and knows nothing while the engine is away", async () => {
		await world.engine.stop();
		await refused();
		mkdirSync(join(world.dataDir, "run", `${id}-g1`), { recursive: true });
		const { message } = await failureOf<Error>(refused());
		expect(message).to.match(/^Cannot tell whether sessions still run in containers: .* does not answer/);
		expect(message).to.include(markFile(world.dataDir));
		rmSync(markFile(world.dataDir));
		await refused();
	});
});

describe("refuseLeft() with sessions as processes", function () {
	this.timeout(20_000);
	let pods: LocalPods;

	beforeEach(() => {
		pods = openLocalPods();
	});
	afterEach(() => pods.close());

	it("refuses containers while they run", async () => {
		const runtime = pods.runtime();
		await runtime.open();
		const id = randomUUID();
		const { markKey, host = "" } = pods.options;
		const refused = () =>
			refuseLeft(inContainers, hostOf(pods.dataDir, { installation: pods.installation, markKey, host }));
		await refused();
		await runtime.create({ ...podSpecFor(id, 1), installation: pods.installation });
		expect((await failureOf<Error>(refused())).message)
			.to.match(/run as processes/)
			.and.include(`"${id}"`);
		await refuseLeft(asProcesses, hostOf(pods.dataDir));
		for (const pid of pods.processes()) process.kill(pid, "SIGKILL");
		await eventually(() => pods.processes().length === 0);
		await refused();
		await runtime.close();
	});

	it("lets a later start choose again once it is used itself", async () => {
		const world = new FakedRuntime();
		await world.open();
		expect(await readMark(world.dataDir)).to.deep.equal({ socket: world.engine.socket });
		const runtime = new LocalProcessRuntime({ ...pods.options, dataDir: world.dataDir });
		await runtime.open();
		expect(await readMark(world.dataDir)).to.equal(undefined);
		await runtime.close();
		await world[Symbol.asyncDispose]();
	});
});
