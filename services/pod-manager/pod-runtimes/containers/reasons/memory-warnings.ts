/**
 * Warns a session when the kernel has ended one of its commands because the memory of its container was used up. When it was the
 * agent, the container ends, and its end says so (container-ends.ts).
 */
import { LRUCache } from "lru-cache";
import { after, isoTime, type Timer } from "#shared/base/clock.ts";
import { maxRemembered } from "../../../pod-runtime.ts";
import { type Launch, launchName } from "../../launches/launch.ts";

/** The most warnings of a launch: a session can cause as many events as it likes. */
const maxWarnings = 10;
/** The time in which a container ends whose agent was killed, in milliseconds. Events within it are one warning. */
const endMs = 1_000;

export interface MemoryWarningsDependencies {
	/** Resolves to whether the container of the launch goes on. */
	readonly isLiving: (launch: Launch) => Promise<boolean>;
	readonly warn: (launch: Launch, sentence: string) => Promise<void>;
}

/** The warnings of one process. Its owner closes it. */
export class MemoryWarnings {
	readonly #dependencies: MemoryWarningsDependencies;
	/** The count of warnings by launch. */
	readonly #counts = new LRUCache<string, number>({ max: maxRemembered });
	/** The events whose containers may be ending, by launch. */
	readonly #pending = new Map<string, Timer>();
	readonly #waitMs: number;

	/** @param waitMs The time in which a container ends whose agent was killed. */
	constructor(dependencies: MemoryWarningsDependencies, waitMs = endMs) {
		this.#dependencies = dependencies;
		this.#waitMs = waitMs;
	}

	/** Learns that a process of a launch was ended. */
	noticed(launch: Launch): void {
		const name = launchName(launch);
		const count = this.#counts.get(name) ?? 0;
		if (count >= maxWarnings || this.#pending.has(name)) return;
		const at = isoTime();
		const tell = (): void => {
			this.#pending.delete(name);
			// An engine that does not answer now says nothing about the session.
			this.#warn(launch, at).catch(() => {});
		};
		this.#pending.set(name, after(this.#waitMs, tell));
	}

	close(): void {
		for (const timer of this.#pending.values()) timer.cancel();
		this.#pending.clear();
	}

	async #warn(launch: Launch, at: string): Promise<void> {
		const { isLiving, warn } = this.#dependencies;
		if (!(await isLiving(launch))) return;
		const name = launchName(launch);
		this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
		await warn(launch, `A command used more memory than the session may have, and was ended at ${at}`);
	}
}
