/** The only process with the sessions hangs while a client waits for the answer to a command. */
import { setTimeout as sleep } from "node:timers/promises";
import { startNatsServer } from "../../support/bus/nats-server.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";
import { Testbed, type Verdict } from "../testbed.ts";

/** Longer than others take to notice that a process is gone, which is 15 s at least. */
const silentMs = 35_000;
/** The limit of a command of 8 s, its last try, and some room. It does not grow with the load: silence needs no processor. */
const answerMs = 14_000;
const settleMs = 20_000;

export async function silentProcess(root?: string): Promise<Verdict> {
	await using nats = await startNatsServer();
	const core = [...storingServices, "credentials", "pod-manager", "models"];
	await using platform = await startPlatform({
		processes: [["gateway", "stream"], core],
		env: { BUS__URL: nats.url },
		...(root !== undefined && { root }),
	});
	await using testbed = await Testbed.open(platform);
	const driver = new SessionDriver(testbed.api, new Random(1), "waiting", "");
	testbed.drivers = [driver];
	await driver.create();
	await sessionReaches(testbed.api, driver.id, "running");

	const [, silent] = platform.processes;
	driver.slowestMs = 0;
	silent?.signal("SIGSTOP");
	const renamed = driver.rename("renamed");
	await sleep(silentMs);
	silent?.signal("SIGCONT");
	await renamed;
	const { invariants } = await testbed.judge(settleMs);
	const late = driver.slowestMs > answerMs ? [`an answer took ${Math.round(driver.slowestMs)} ms`] : [];
	const name = Object.keys(invariants).find((one) => one.startsWith("I7")) ?? "I7";
	return { ...invariants, [name]: [...(invariants[name] ?? []), ...late] };
}
