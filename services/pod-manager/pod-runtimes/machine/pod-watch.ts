/**
 * Reports sessions whose pods have changed. A glimpse of all pods is taken each second; a session is read when its
 * glimpse has changed or a file of its records was written, and all sessions are read every ten seconds. Sessions are
 * read side by side, because reading one can wait for a scan of the machine, or for a container engine.
 */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { bound } from "#shared/base/bounds.ts";
import { every, monotonic } from "#shared/base/clock.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { isAlive, type Pod } from "../../pod-runtime.ts";
import type { RunFolders } from "./run-folders.ts";

const glimpseMs = 1_000;
const lookAtAllMs = 10_000;

/** The pods of a runtime, read anew each time. */
interface WatchedPods {
	all(): Promise<{ pods: Pod[] }>;
	ofSession(sessionId: string): Promise<Pod[]>;
	/** Returns for each session a text that changes with its pods. */
	glimpse(): Promise<Map<string, string>>;
}

interface WatchedRuns extends Pick<RunFolders, "path"> {
	/** Does the regular maintenance of a living pod. */
	tend(pod: Pod): Promise<void>;
}

interface Seen {
	/** The number of the observation; of two that overlap, the one that began later counts. */
	readonly number: number;
	readonly fingerprint: string;
	readonly alive: readonly Pod[];
}

/** One watch; it ends with its signal. */
export class PodWatch {
	readonly #pods: WatchedPods;
	readonly #runs: WatchedRuns;
	readonly #onChange: (sessionId: string) => void;
	readonly #signal: AbortSignal;
	/** File watchers by the pod's name. */
	readonly #files = new Map<string, FSWatcher>();
	readonly #seen = new Map<string, Seen>();
	#glimpsed = new Map<string, string>();
	#lookAtAllAt = Number.NEGATIVE_INFINITY;
	#observations = 0;
	/**
	 * A failure of a round or a look is not reported: the next second tries again, and a pass over the session meets the
	 * same error and reports it.
	 */
	readonly #rounds = new SingleFlight(() => this.#lookAround());
	/** The looks at single sessions, one at a time of each session. */
	readonly #looks = new FairQueue({ atOnce: bound.podLooks, share: 1 });
	/** Sessions whose look has not begun. */
	readonly #wanted = new Set<string>();
	/** Sessions whose look has failed. */
	readonly #failed = new Set<string>();

	/** Begins to watch; the watch ends when the signal aborts. */
	constructor(pods: WatchedPods, runs: WatchedRuns, onChange: (sessionId: string) => void, signal: AbortSignal) {
		this.#pods = pods;
		this.#runs = runs;
		this.#onChange = onChange;
		this.#signal = signal;
		const timer = every(glimpseMs, () => this.#look());
		signal.addEventListener("abort", () => {
			timer.cancel();
			for (const file of this.#files.values()) file.close();
		});
		this.#look();
	}

	/** Reads a session now, because its pods may have changed. */
	look(sessionId: string): void {
		if (this.#wanted.has(sessionId)) return;
		this.#wanted.add(sessionId);
		this.#looks.run(sessionId, () => this.#lookAt(sessionId)).catch(() => this.#failed.add(sessionId));
	}

	/** Starts a round unless one is under way, so that a slow machine does not fall behind. */
	#look(): void {
		if (!this.#rounds.isRunning) this.#rounds.request();
	}

	/** Reads all pods or a glimpse of them, and the sessions that could not be read. */
	async #lookAround(): Promise<void> {
		for (const id of this.#failed) this.look(id);
		this.#failed.clear();
		await (monotonic() >= this.#lookAtAllAt ? this.#lookAtAll() : this.#glimpse());
	}

	async #lookAtAll(): Promise<void> {
		const number = ++this.#observations;
		const { pods } = await this.#pods.all();
		this.#lookAtAllAt = monotonic() + lookAtAllMs;
		const bySession = Map.groupBy(pods, ({ sessionId }) => sessionId);
		for (const id of new Set([...this.#seen.keys(), ...bySession.keys()]))
			this.#compare(id, bySession.get(id) ?? [], number);
		const alive = pods.filter(isAlive);
		await Promise.all(alive.map((pod) => this.#runs.tend(pod)));
	}

	async #glimpse(): Promise<void> {
		const before = this.#glimpsed;
		this.#glimpsed = await this.#pods.glimpse();
		for (const id of new Set([...before.keys(), ...this.#glimpsed.keys()])) {
			if (before.get(id) !== this.#glimpsed.get(id)) this.look(id);
		}
		// Some machines allow few watchers; pods without one are read each second.
		for (const [id, { alive }] of this.#seen) if (alive.some(({ name }) => !this.#files.has(name))) this.look(id);
	}

	async #lookAt(sessionId: string): Promise<void> {
		// Later changes count as another change.
		this.#wanted.delete(sessionId);
		if (this.#signal.aborted) return;
		const number = ++this.#observations;
		this.#compare(sessionId, await this.#pods.ofSession(sessionId), number);
	}

	#compare(sessionId: string, pods: readonly Pod[], number: number): void {
		// The watch may have ended meanwhile.
		if (this.#signal.aborted) return;
		const alive = pods.filter(isAlive);
		const before = this.#seen.get(sessionId) ?? { number: 0, fingerprint: "", alive: [] };
		if (number < before.number) return;
		const fingerprint = pods.map(fingerprintOf).join("");
		if (pods.length === 0) this.#seen.delete(sessionId);
		else this.#seen.set(sessionId, { number, fingerprint, alive });
		for (const { name } of before.alive) if (!alive.some((pod) => pod.name === name)) this.#unwatch(name);
		for (const pod of alive) if (!this.#files.has(pod.name)) this.#watchRecords(pod);
		if (fingerprint !== before.fingerprint) this.#onChange(sessionId);
	}

	#watchRecords(pod: Pod): void {
		const path = this.#runs.path(pod, "status");
		try {
			const watcher = watch(dirname(path), { persistent: false });
			watcher.on("change", (_, file) => file === basename(path) && this.look(pod.sessionId));
			watcher.on("error", () => this.#unwatch(pod.name));
			this.#files.set(pod.name, watcher);
		} catch {
			// A pod without a watcher is read each second.
		}
	}

	#unwatch(name: string): void {
		this.#files.get(name)?.close();
		this.#files.delete(name);
	}
}

/**
 * Returns the properties of a pod whose change needs a pass at once. The progress of its start does not; the next
 * regular pass reads it.
 */
function fingerprintOf({ name, state, address, failure, warnings }: Pod): string {
	return JSON.stringify([name, state, address, failure, warnings]);
}
