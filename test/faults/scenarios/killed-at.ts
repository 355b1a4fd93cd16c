/** The platform is killed at a failpoint while a client waits for the answer to a command. */
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Ground, type Verdict } from "../testbed.ts";
import { patience } from "../../support/machine/patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";

const settleMs = 5_000;
/** A start, and the way to the failpoint; longer on a busy machine. */
const killedWithinMs = 30_000;

/** At the first write of a session that runs, before anybody hears of it. */
export function killedAfterWrite(root?: string): Promise<Verdict> {
	return killedAt("sessions.written", root, async (driver, ground) => {
		await driver.create();
		await sessionReaches(ground.api, driver.id, "running");
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
	prepare: (driver: SessionDriver, ground: Ground) => Promise<() => Promise<void>>,
): Promise<Verdict> {
	await using platform = await startPlatform(root === undefined ? {} : { root });
	await using ground = await Ground.open(platform);
	const driver = new SessionDriver(ground.api, new Random(1), "killed", "");
	ground.drivers = [driver];
	const command = await prepare(driver, ground);

	await platform.kill();
	const armed = platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` });
	platform.processes = [armed];
	const answer = command();
	// Heard of when it is waited for.
	answer.catch(() => {});
	await armed.ended(killedWithinMs * patience());
	await platform.start();
	await answer;
	return (await ground.judge(settleMs * patience())).invariants;
}
