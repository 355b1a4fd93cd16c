/**
 * A pod manager freezes in the middle of a pass, right after it saw that there is no pod. Its lease expires, another
 * one takes over and starts the session; then the first one continues and reports what it saw.
 */
import { eventually } from "../../support/eventually.ts";
import { startNatsServer } from "../../support/bus/nats-server.ts";
import { processFile } from "../../support/machine/process-file.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { Testbed, type Verdict } from "../testbed.ts";
import { patience } from "../../support/machine/patience.ts";
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

const others = ["gateway", "stream", ...storingServices];
const settleMs = 5_000;
/** The time of a lease of 15 s and a start. */
const takeoverMs = 45_000;

export async function frozenPass(root?: string): Promise<Verdict> {
	await using nats = await startNatsServer();
	await using platform = await startPlatform({
		processes: [others, ["credentials", "pod-manager", "models"]],
		env: { BUS__URL: nats.url, ATELIER_FAILPOINTS: "pod-manager.looked=stop" },
		...(root !== undefined && { root }),
	});
	await using testbed = await Testbed.open(platform);
	const driver = new SessionDriver(testbed.api, new Random(1), "frozen", "");
	testbed.drivers = [driver];

	const [, first] = platform.processes;
	if (!first) throw new RangeError("There are two processes");
	await driver.create();
	await eventually(() => isFrozen(first.pid), { withinMs: 20_000, what: "the first pod manager is frozen" });

	platform.processes.push(platform.startProcess(["credentials", "pod-manager", "models"], { ATELIER_FAILPOINTS: "" }));
	await sessionReaches(testbed.api, driver.id, "running", takeoverMs);

	first.signal("SIGCONT");
	// The process completes what it has begun.
	first.signal("SIGTERM");
	await first.ended();
	if (!first.output.includes("A pass took longer than"))
		throw new Error(`It had nothing late to say:\n${first.output}`);
	return (await testbed.judge(settleMs * patience())).invariants;
}

/** Whether the process is stopped by a signal (proc(5)). */
function isFrozen(pid: number): boolean {
	return /^State:\s+T/m.test(processFile(pid, "status"));
}
