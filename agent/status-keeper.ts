/** Keeps the pod's status, and passes on every change as a whole. */
import { isoTime } from "#shared/base/clock.ts";
import type { MeasuredSize, PodPhase, PodStatus } from "#shared/wire/pod/status.ts";
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

/** The status of one pod. */
export class StatusKeeper {
	readonly #write: (content: string, isAwaited: boolean) => void;
	#status: PodStatus = { phase: "starting", pid: process.pid, timings: {} };

	/** @param write Takes the status as JSON, and whether somebody waits for it; what it throws, the caller of a change gets. */
	constructor(write: (content: string, isAwaited: boolean) => void) {
		this.#write = write;
	}

	get status(): Readonly<PodStatus> {
		return this.#status;
	}

	enter(phase: PodPhase, details: PhaseDetails = {}): void {
		const step = stepBefore[phase];
		const { progress: _ended, ...status } = this.#status;
		const timings = { ...status.timings, ...(step && { [step]: isoTime() }) };
		this.#change({ ...status, ...details, phase, timings });
	}

	/** Writes how far the clones are. */
	tell(progress: string): void {
		if (this.#status.phase === "cloning") this.#change({ ...this.#status, progress });
	}

	/** Writes how much the volume has. */
	measured(size: MeasuredSize): void {
		this.#change({ ...this.#status, measured: size });
	}

	/** Adds a warning of this launch, unless it is there or there are too many. */
	warn(sentence: string): void {
		const { warnings = [] } = this.#status;
		const shown = sentence.slice(0, maxWarning);
		if (warnings.includes(shown) || warnings.length >= maxWarnings) return;
		this.#change({ ...this.#status, warnings: [...warnings, shown] });
	}

	fail({ code, message }: LaunchFailure): void {
		this.#change({ ...this.#status, phase: "failed", failure: { code, message } });
	}

	#change(status: PodStatus): void {
		this.#status = { ...status, number: (this.#status.number ?? 0) + 1 };
		this.#write(JSON.stringify(this.#status), status.phase === "ready" || status.phase === "failed");
	}
}
