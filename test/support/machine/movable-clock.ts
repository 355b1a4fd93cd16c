/** The wall clock of a process that a test started, which the test sets while the process runs, as a person could. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlatformProcess } from "../platform/start-platform.ts";

/** Node loads this module before the program; the program itself has nothing to do with it. */
const module = (file: string) => `
import { readFileSync } from "node:fs";
const wallClock = Date.now;
let stepMs = 0;
Date.now = () => wallClock() + stepMs;
process.on("SIGUSR2", () => {
	stepMs = Number(readFileSync(${JSON.stringify(file)}, "utf8"));
});
`;

export class MovableClock {
	readonly #file: string;
	readonly #module: string;

	/** @param folder An existing folder of the test. */
	constructor(folder: string) {
		this.#file = join(folder, "step");
		this.#module = join(folder, "movable-clock.mjs");
		writeFileSync(this.#module, module(this.#file));
	}

	/** The variables with which the process has to be started. */
	get env(): Record<string, string> {
		return { NODE_OPTIONS: `--import=${this.#module}` };
	}

	/** Sets the wall clock of the process. @param stepMs How far it is ahead, in milliseconds; 0: it is right. */
	step(process: PlatformProcess, stepMs: number): void {
		writeFileSync(this.#file, String(stepMs));
		process.signal("SIGUSR2");
	}
}
