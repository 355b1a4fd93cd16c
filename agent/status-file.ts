/** Writes the pod's status to the file that the runtime reads; every change replaces the whole file. */
import { isoTime } from "#shared/base/clock.ts";
import { replaceFileSync } from "#shared/base/files/replaced-file.ts";
import type { PodPhase, PodStatus } from "#shared/wire/pod/status.ts";
import type { LaunchFailure } from "./io/launch-failure.ts";

/** The step that ends when a phase begins. */
const stepBefore: Partial<Record<PodPhase, string>> = {
	starting: "spawned",
	setting_up: "cloned",
	starting_agent: "set_up",
	ready: "ready",
};

/** The most warnings, and the most characters of one; the platform takes no more (session-work.ts). */
const maxWarnings = 10;
const maxWarning = 400;

/** The members of the status that a phase may add. */
export type PhaseDetails = Pick<PodStatus, "port" | "agent_title" | "clones" | "branches">;

export class StatusFile {
	readonly #path: string;
	#status: PodStatus = { phase: "starting", pid: process.pid, timings: {} };

	constructor(path: string) {
		this.#path = path;
	}

	get status(): Readonly<PodStatus> {
		return this.#status;
	}

	enter(phase: PodPhase, details: PhaseDetails = {}): void {
		const step = stepBefore[phase];
		const { progress: _ended, ...status } = this.#status;
		const timings = { ...status.timings, ...(step && { [step]: isoTime() }) };
		this.#write({ ...status, ...details, phase, timings });
	}

	/** Writes how far the clones are. */
	tell(progress: string): void {
		if (this.#status.phase === "cloning") this.#write({ ...this.#status, progress });
	}

	/** Adds a warning of this launch, unless it is there or there are too many. */
	warn(sentence: string): void {
		const { warnings = [] } = this.#status;
		const shown = sentence.slice(0, maxWarning);
		if (warnings.includes(shown) || warnings.length >= maxWarnings) return;
		this.#write({ ...this.#status, warnings: [...warnings, shown] });
	}

	fail({ code, message }: LaunchFailure): void {
		this.#write({ ...this.#status, phase: "failed", failure: { code, message } });
	}

	#write(status: PodStatus): void {
		this.#status = status;
		replaceFileSync(this.#path, JSON.stringify(status));
	}
}
