/**
 * Removes orphaned warm containers, which no process has: those of a platform that was killed, and those that could not be removed
 * before. Their agents end by themselves a minute after their platform, and the engine keeps what is left of them.
 */
import { machineTime, sleep } from "#shared/base/clock.ts";
import { Backoff } from "#shared/base/concurrency/backoff.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { WarmEngine } from "./warm-engine.ts";
import type { WarmFolders } from "./warm-folders.ts";

/** The pauses before the second look, at which what was young at the first one is old, and before each later one, in milliseconds. */
const [secondMs, laterMs] = [65_000, 300_000];

export class OrphanedContainers {
	readonly #engine: WarmEngine;
	readonly #folders: WarmFolders;
	#signal: AbortSignal = AbortSignal.abort();
	#failure: unknown;
	readonly #removing = new SingleFlight(() => this.#remove());

	constructor(engine: WarmEngine, folders: WarmFolders) {
		this.#engine = engine;
		this.#folders = folders;
	}

	/** Why they could not be removed last; undefined when they were. */
	get failure(): unknown {
		return this.#failure;
	}

	/** Looks for them until the signal aborts. It never throws. */
	async tend(signal: AbortSignal): Promise<void> {
		this.#signal = signal;
		const backoff = new Backoff({ firstMs: 2_000, maxMs: 60_000 });
		for (let pauseMs = secondMs; !signal.aborted; ) {
			await this.#removing.join();
			if (this.#failure !== undefined) {
				await backoff.wait(signal);
				continue;
			}
			backoff.reset();
			await sleep(pauseMs, signal);
			pauseMs = laterMs;
		}
	}

	/** Lets it look now; nobody waits for it. */
	request(): void {
		this.#removing.request();
	}

	/** Removes them, one after the other; one that cannot be removed keeps none of the others. It never throws. */
	async #remove(): Promise<void> {
		let failure: unknown;
		try {
			const listed = await this.#engine.list(this.#signal);
			const waiting = listed.filter(({ waits }) => waits).map(({ name }) => name);
			const known = new Set(listed.map(({ name }) => name));
			const unused = (await this.#folders.names()).filter((name) => !known.has(name));
			const steps = [
				...waiting.map((name) => () => this.#removeContainer(name)),
				...unused.map((name) => () => this.#removeFolders(name)),
			];
			for (const step of steps)
				if (!this.#signal.aborted) await step().catch((error: unknown) => void (failure = error));
		} catch (error) {
			failure = error;
		}
		this.#failure = failure;
	}

	async #removeContainer(name: string): Promise<void> {
		if (await this.#folders.isHeld(name)) return;
		// One that is not there any more may have got a session, whose folders these are.
		if (await this.#engine.remove(name)) await this.#folders.remove(name);
	}

	async #removeFolders(name: string): Promise<void> {
		if (await this.#folders.isYoung(name, machineTime())) return;
		if (!(await this.#folders.isHeld(name))) await this.#folders.remove(name);
	}
}
