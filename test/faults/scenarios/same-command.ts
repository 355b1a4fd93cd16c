/** The same command by many clients at the same moment, again and again. */
import { sessionReaches } from "../../support/session-steps.ts";
import { startPlatform } from "../../support/start-platform.ts";
import { Ground, type Verdict } from "../ground.ts";
import { patience } from "../patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";

const rounds = 3;
const clients = 8;
const settleMs = 5_000;

export async function sameCommand(root?: string): Promise<Verdict> {
	await using platform = await startPlatform(root === undefined ? {} : { root });
	await using ground = await Ground.open(platform);
	const driver = new SessionDriver(ground.api, new Random(1), "crowd", "");
	ground.drivers = [driver];
	await driver.create();
	for (let round = 0; round < rounds; round++) {
		await sessionReaches(ground.api, driver.id, "running");
		await driver.command("stop", clients);
		await sessionReaches(ground.api, driver.id, "stopped");
		await driver.command("start", clients);
	}
	return (await ground.judge(settleMs * patience())).invariants;
}
