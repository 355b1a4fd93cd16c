/** Many clients send the same command at the same moment, repeatedly. */
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Testbed, type Verdict } from "../testbed.ts";
import { patience } from "../../support/machine/patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";

/** The largest number of attempts; on a busy machine the requests do not always arrive together. */
const rounds = 8;
const clients = 12;
const settleMs = 5_000;

export async function sameCommand(root?: string): Promise<Verdict> {
	await using platform = await startPlatform(root === undefined ? {} : { root });
	await using testbed = await Testbed.open(platform);
	const driver = new SessionDriver(testbed.api, new Random(1), "crowd", "");
	testbed.drivers = [driver];
	await driver.create();
	for (let round = 0; round < rounds && driver.wrong.length === 0; round++) {
		await sessionReaches(testbed.api, driver.id, "running");
		await driver.command("stop", clients);
		await sessionReaches(testbed.api, driver.id, "stopped");
		await driver.command("start", clients);
	}
	return (await testbed.judge(settleMs * patience())).invariants;
}
