/** The platform is killed at a failpoint while a client waits for the answer to a command. */
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Testbed, type Verdict } from "../testbed.ts";
import { patience } from "../../support/machine/patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";

const settleMs = 5_000;
/** A start, and the way to the failpoint; longer on a busy machine. */
const killedWithinMs = 30_000;

/** At the first write of a session that runs, before anybody hears of it. */
export function killedAfterWrite(root?: string): Promise<Verdict> {
	return killedAt("sessions.written", root, async (driver, testbed) => {
		await driver.create();
		await sessionReaches(testbed.api, driver.id, "running");
		return () => driver.rename("renamed");
	});
}

/** When the agent of a session has just been started, and nobody knows of it yet. */
export function killedAfterSpawn(root?: string): Promise<Verdict> {
	return killedAt("local-process.spawned", root, async (driver) => () => driver.create());
}

/** @param prepare What was before; resolves to the command in question. */
async function killedAt(
	point: string,
	root: string | undefined,
	prepare: (driver: SessionDriver, testbed: Testbed) => Promise<() => Promise<void>>,
): Promise<Verdict> {
	await using platform = await startPlatform(root === undefined ? {} : { root });
	await using testbed = await Testbed.open(platform);
	const driver = new SessionDriver(testbed.api, new Random(1), "killed", "");
	testbed.drivers = [driver];
	const command = await prepare(driver, testbed);

	await platform.kill();
	const armed = platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` });
	platform.processes = [armed];
	const answer = command();
	// Heard of when it is waited for.
	answer.catch(() => {});
	await armed.ended(killedWithinMs * patience());
	await platform.start();
	await answer;
	return (await testbed.judge(settleMs * patience())).invariants;
}
