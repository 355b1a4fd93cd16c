/**
 * The entry of the platform: runs the named service folders in this process, all of them without names.
 * `npm start`; `npm run service -- gateway stream`. Everything else is loaded once signals are heard, so that an end that
 * is asked for meanwhile is one in order.
 */
import { after, monotonic, sleep } from "#shared/clock.ts";
import { readCommandLine } from "#shared/config/command-line.ts";
import { ignoreDebuggerSignal } from "#shared/debugger-signal.ts";
import { hideEnvironment } from "#shared/config/environment.ts";
import { failpoint } from "#shared/failpoints.ts";
import { StartError } from "#shared/start-error.ts";
import { endProcess } from "./end-process.ts";
import type * as platformProcess from "./platform-process.ts";

/** An end is cut short after this, if it came before the configuration was read. */
const hardExitMs = 25_000;

/** What comes this soon is the same signal again: a terminal sends it to npm and to us, and npm passes it on. */
const sameSignalMs = 1_000;

/** On the monotonic clock; infinite before the first signal. */
let endingSince = Infinity;
let platform: platformProcess.PlatformProcess | undefined;

/** The first signal drains and ends; a later one ends at once. */
function end(signal: NodeJS.Signals): void {
	if (monotonic() - endingSince > sameSignalMs) return endProcess(1);
	if (isEnding()) return;
	endingSince = monotonic();
	after(platform?.endMs ?? hardExitMs, () => endProcess(1), { keepAlive: true });
	(platform?.stop() ?? Promise.resolve()).then(
		() => endProcess(0),
		(error: unknown) => {
			console.error(`Could not end in order after ${signal}:`, error);
			endProcess(1);
		},
	);
}

function isEnding(): boolean {
	return endingSince !== Infinity;
}

/** A process without its bus is a zombie: whoever supervises it starts a new one. */
function endWithoutBus(cause: unknown): void {
	if (isEnding()) return;
	console.error("Ends because the connection to the bus is closed for good:", cause ?? "no reason given");
	endProcess(70);
}

const { positionals: services } = readCommandLine({
	usage: "npm start, or npm run service -- [<service>...]",
	summary: "Runs the platform until SIGINT or SIGTERM. `npm run config` shows its configuration.",
	operands: { help: { "<service>": "a folder in services/ that this process runs; default: all of them" } },
	options: {},
});

ignoreDebuggerSignal();
hideEnvironment(process.argv.slice(1));
process.on("SIGINT", end);
process.on("SIGTERM", end);
// Whoever reads what is written here may end, or a disk be full: that is no reason to end for us.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
process.on("unhandledRejection", (error) => {
	console.error("Ends because of an error nobody expected:", error);
	endProcess(70);
});

try {
	failpoint("start.signals-heard");
	const { PlatformProcess } = await import("./platform-process.ts");
	platform = new PlatformProcess(services, endWithoutBus);
	await platform.start();
} catch (error) {
	// What an end interrupts fails; that is no failed start.
	if (!isEnding()) {
		console.error(error instanceof StartError ? error.message : error);
		// Lets what is written reach its reader; whatever still runs must not keep a failed start alive.
		await sleep(10);
		endProcess(1);
	}
}
