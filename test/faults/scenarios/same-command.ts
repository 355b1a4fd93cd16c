/** The same command by many clients at the same moment, again and again. */
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Ground, type Verdict } from "../testbed.ts";
import { patience } from "../../support/machine/patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";

/** At most; on a busy machine requests of one moment are not always there in one moment. */
const rounds = 8;
const clients = 12;
const settleMs = 5_000;

export async function sameCommand(root?: string): Promise<Verdict> {
	await using platform = await startPlatform(root === undefined ? {} : { root });
	await using ground = await Ground.open(platform);
	const driver = new SessionDriver(ground.api, new Random(1), "crowd", "");
	ground.drivers = [driver];
	await driver.create();
	for (let round = 0; round < rounds && driver.wrong.length === 0; round++) {
		await sessionReaches(ground.api, driver.id, "running");
		await driver.command("stop", clients);
		await sessionReaches(ground.api, driver.id, "stopped");
		await driver.command("start", clients);
	}
	return (await ground.judge(settleMs * patience())).invariants;
}
