/** The platform is killed at a failpoint while a client waits for the answer to a command. */
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Testbed, type Verdict } from "../testbed.ts";
import { patience } from "../../support/machine/patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";

const settleMs = 5_000;
/** The time of a start and the way to the failpoint, which is longer on a busy machine. */
const killedWithinMs = 30_000;

/** The kill comes at the first write of a running session, before anybody can know of it. */
export function killedAfterWrite(root?: string): Promise<Verdict> {
	return killedAt("sessions.written", root, async (driver, testbed) => {
		await driver.create();
		await sessionReaches(testbed.api, driver.id, "running");
		return () => driver.rename("renamed");
	});
}

/** The kill comes right after an agent was started, when nothing records it yet. */
export function killedAfterSpawn(root?: string): Promise<Verdict> {
	return killedAt("local-process.spawned", root, async (driver) => () => driver.create());
}

/** @param prepare Makes the earlier state, and resolves with the command. */
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
	// The rejection is handled when the promise is awaited.
	answer.catch(() => {});
	await armed.ended(killedWithinMs * patience());
	await platform.start();
	await answer;
	return (await testbed.judge(settleMs * patience())).invariants;
}
