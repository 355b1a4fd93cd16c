/**
 * Runs the named service folders in this process, or all of them (`npm start`; `npm run service -- gateway stream`).
 * `host/main.js` loads this file. All other modules are loaded after the signal handlers are installed, so that a signal
 * during the start leads to an orderly end.
 */
import { after, monotonic, sleep } from "#shared/base/clock.ts";
import { CommandLineError, notUnderstood, readCommandLine } from "#shared/config/command-line.ts";
import { ignoreDebuggerSignal } from "#shared/base/debugger-signal.ts";
import { hideEnvironment } from "#shared/config/environment.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { StartError } from "#shared/base/start-error.ts";
import { endProcess } from "./end-process.ts";
import { keepYoungGenerationSmall, releaseYoungGeneration } from "./young-generation.ts";
import type * as platformProcess from "./platform-process.ts";

/** The time after which an end is forced when the configuration was not read yet, in milliseconds. */
const hardExitMs = 25_000;

/**
 * A second signal within this time is the same one: a terminal sends it to npm and to this process, and npm passes it
 * on.
 */
const sameSignalMs = 1_000;

/** The time of the first signal on the monotonic clock; infinite before it. */
let endingSince = Infinity;
let platform: platformProcess.PlatformProcess | undefined;

/** Handles a signal: the first one starts an orderly end; a later one ends the process at once. */
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

/** Ends a process that has lost its bus for good, so that its supervisor starts a new one. */
function endWithoutBus(cause: unknown): void {
	if (isEnding()) return;
	console.error("Ends because the connection to the bus is closed for good:", cause ?? "no reason given");
	endProcess(70);
}

/** Ends a process that cannot run beside the others of the platform. */
function endRefused(error: StartError): void {
	if (isEnding()) return;
	console.error(error.message);
	endProcess(error.exitCode);
}

function exitCodeOf(error: unknown): number {
	if (error instanceof CommandLineError) return notUnderstood;
	return error instanceof StartError ? error.exitCode : 1;
}

const { positionals: services } = readCommandLine({
	usage: "npm start, or npm run service -- [<service>...]",
	summary:
		"Runs the platform until SIGINT or SIGTERM. `npm run config` shows its configuration. Exit code 78: the configuration has a mistake.",
	operands: { help: { "<service>": "a folder in services/ that this process runs; default: all of them" } },
	options: {},
});

ignoreDebuggerSignal();
hideEnvironment(process.argv.slice(1));
process.on("SIGINT", end);
process.on("SIGTERM", end);
// The reader of this output may end, or a disk may be full; neither is a reason to end the platform.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
process.on("unhandledRejection", (error) => {
	console.error("Ends because of an unexpected error:", error);
	endProcess(70);
});

try {
	failpoint("start.signals-heard");
	keepYoungGenerationSmall();
	const { PlatformProcess } = await import("./platform-process.ts");
	platform = new PlatformProcess(services, endWithoutBus, endRefused);
	await platform.start();
	releaseYoungGeneration();
} catch (error) {
	// A start that an end interrupts fails; that is not reported as a failed start.
	if (!isEnding()) {
		const isKnown = error instanceof StartError || error instanceof CommandLineError;
		console.error(isKnown ? error.message : error);
		// The pause lets the output reach its reader; then nothing may keep a failed start alive.
		await sleep(10);
		endProcess(exitCodeOf(error));
	}
}
