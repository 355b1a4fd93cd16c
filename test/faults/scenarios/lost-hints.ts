/**
 * The bus fails while the process with the sessions handles a command: first a command whose hint only another
 * gateway needs, then one whose hint the pod manager needs.
 */
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { startNatsServer } from "../../support/bus/nats-server.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Testbed, isBroken, type Verdict } from "../testbed.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

const others = ["gateway", "stream", ...storingServices];
/** The time for the reconnection to the bus and a start. */
const settleMs = 15_000;

export async function lostHints(root?: string): Promise<Verdict> {
	await using nats = await startNatsServer();
	const processes = [others, ["credentials", "pod-manager", "models"]];
	await using platform = await startPlatform({
		processes,
		env: { BUS__URL: nats.url },
		...(root !== undefined && { root }),
	});
	const port = await freePort();
	platform.processes.push(platform.startProcess(["gateway", "stream"], { PORT: String(port) }));
	const second = `http://127.0.0.1:${port}`;
	const isReady = async () => (await fetch(`${second}/ready`)).status === 200;
	await eventually(isReady, { withinMs: 20_000, what: "the second gateway is ready" });

	await using testbed = await Testbed.open(platform, { streamPrefix: `${second}/api/v1/svc` });
	const [running, fresh] = ["running", "fresh"].map((name) => new SessionDriver(testbed.api, new Random(1), name, ""));
	if (!running || !fresh) throw new RangeError("There are two clients");
	testbed.drivers = [running, fresh];
	await running.create();
	await sessionReaches(testbed.api, running.id, "running");
	// The verdict decides what a missing event means.
	const isTold = () => testbed.follower.told.get(running.id)?.status === "running";
	await eventually(isTold).catch(() => {});

	const renamed = await missed(() => running.rename("renamed"));
	return isBroken(renamed) ? renamed : await missed(() => fresh.create());

	async function missed(command: () => Promise<void>): Promise<Verdict> {
		await nats.kill();
		await command();
		await nats.start();
		return (await testbed.judge(settleMs)).invariants;
	}
}
