/**
 * The entry of the platform: runs the named service folders in this process, all of them without names.
 * `npm start`; `npm run service -- gateway stream`. Everything else is loaded once signals are heard, so that an end that
 * is asked for meanwhile is one in order.
 */
import { after, sleep } from "#shared/clock.ts";
import { failpoint } from "#shared/failpoints.ts";
import { StartError } from "#shared/start-error.ts";
import { endProcess } from "./end-process.ts";
import type * as platformProcess from "./platform-process.ts";

/** An end is cut short after this, if it came before the configuration was read. */
const hardExitMs = 25_000;

let ending = false;
let platform: platformProcess.PlatformProcess | undefined;

/** The first signal drains and ends; a second one ends at once. */
function end(signal: NodeJS.Signals): void {
	if (ending) return endProcess(1);
	ending = true;
	after(platform?.endMs ?? hardExitMs, () => endProcess(1), { keepAlive: true });
	(platform?.stop() ?? Promise.resolve()).then(
		() => endProcess(0),
		(error: unknown) => {
			console.error(`Could not end in order after ${signal}:`, error);
			endProcess(1);
		},
	);
}

/** A process without its bus is a zombie: whoever supervises it starts a new one. */
function endWithoutBus(cause: unknown): void {
	if (ending) return;
	console.error("Ends because the connection to the bus is closed for good:", cause ?? "no reason given");
	endProcess(70);
}

process.on("SIGINT", end);
process.on("SIGTERM", end);
process.on("unhandledRejection", (error) => {
	console.error("Ends because of an error nobody expected:", error);
	endProcess(70);
});

try {
	failpoint("start.signals-heard");
	const { PlatformProcess } = await import("./platform-process.ts");
	platform = new PlatformProcess(process.argv.slice(2), endWithoutBus);
	await platform.start();
} catch (error) {
	// What an end interrupts fails; that is no failed start.
	if (!ending) {
		console.error(error instanceof StartError ? error.message : error);
		// Lets what is written reach its reader; whatever still runs must not keep a failed start alive.
		await sleep(10);
		endProcess(1);
	}
}
