/**
 * Reports sessions whose pods have changed. A glimpse of all pods is taken each second; a session is read when its
 * glimpse has changed or a file of its records was written, and all sessions are read every ten seconds.
 */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { every, monotonic } from "#shared/base/clock.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { Pod } from "../../pod-runtime.ts";

const glimpseMs = 1_000;
const lookAtAllMs = 10_000;

/** The pods as the watch reads them. */
export interface WatchedPods {
	list(): Promise<Pod[]>;
	find(sessionId: string): Promise<Pod[]>;
	/** Returns a text for each session that changes with its pods, without reading their records. */
	glimpse(): Promise<Map<string, string>>;
	statusFile(pod: Pod): string;
	/** Does the regular maintenance of a living pod. */
	tend(pod: Pod): Promise<void>;
}

/** The last observation of a session. */
interface Seen {
	readonly fingerprint: string;
	readonly alive: readonly Pod[];
}

/** One watch; it ends with its signal. */
export class PodWatch {
	readonly #pods: WatchedPods;
	readonly #onChange: (sessionId: string) => void;
	readonly #signal: AbortSignal;
	/** File watchers by the pod's name. */
	readonly #files = new Map<string, FSWatcher>();
	readonly #seen = new Map<string, Seen>();
	#glimpsed = new Map<string, string>();
	/** Sessions to read. */
	readonly #wanted = new Set<string>();
	#lookAtAllAt = Number.NEGATIVE_INFINITY;
	/** Whether a second has passed since the last round began. */
	#isGlimpseDue = false;
	/**
	 * A failure is not reported: the next second tries again, and a pass over the session meets the same error and
	 * reports it.
	 */
	readonly #looks = new SingleFlight(() => this.#lookAround());

	/** Begins to watch; the watch ends when the signal aborts. */
	constructor(pods: WatchedPods, onChange: (sessionId: string) => void, signal: AbortSignal) {
		this.#pods = pods;
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
		this.#wanted.add(sessionId);
		this.#looks.request();
	}

	/** Starts a round unless one is under way, so that a slow machine does not fall behind. */
	#look(): void {
		if (this.#looks.isRunning) return;
		this.#isGlimpseDue = true;
		this.#looks.request();
	}

	/** Reads all pods or a glimpse of them, when a second has passed, and then the pods that are wanted by then. */
	async #lookAround(): Promise<void> {
		if (this.#isGlimpseDue) {
			this.#isGlimpseDue = false;
			await (monotonic() >= this.#lookAtAllAt ? this.#lookAtAll() : this.#glimpse());
		}
		for (const id of this.#wanted) await this.#lookAt(id);
	}

	async #lookAtAll(): Promise<void> {
		const pods = await this.#pods.list();
		this.#lookAtAllAt = monotonic() + lookAtAllMs;
		const bySession = Map.groupBy(pods, ({ sessionId }) => sessionId);
		for (const id of new Set([...this.#seen.keys(), ...bySession.keys()])) this.#compare(id, bySession.get(id) ?? []);
		const alive = pods.filter(isAlive);
		await Promise.all(alive.map((pod) => this.#pods.tend(pod)));
	}

	async #glimpse(): Promise<void> {
		const before = this.#glimpsed;
		this.#glimpsed = await this.#pods.glimpse();
		for (const id of new Set([...before.keys(), ...this.#glimpsed.keys()])) {
			if (before.get(id) !== this.#glimpsed.get(id)) this.#wanted.add(id);
		}
		// Some machines allow few watchers; pods without one are read each second.
		for (const [id, { alive }] of this.#seen)
			if (alive.some(({ name }) => !this.#files.has(name))) this.#wanted.add(id);
	}

	async #lookAt(sessionId: string): Promise<void> {
		// Later changes count as another change.
		this.#wanted.delete(sessionId);
		if (this.#signal.aborted) return;
		try {
			this.#compare(sessionId, await this.#pods.find(sessionId));
		} catch (error) {
			this.#wanted.add(sessionId);
			throw error;
		}
	}

	#compare(sessionId: string, pods: readonly Pod[]): void {
		// The watch may have ended meanwhile.
		if (this.#signal.aborted) return;
		const alive = pods.filter(isAlive);
		const before = this.#seen.get(sessionId) ?? { fingerprint: "", alive: [] };
		const fingerprint = pods.map(fingerprintOf).join("");
		if (pods.length === 0) this.#seen.delete(sessionId);
		else this.#seen.set(sessionId, { fingerprint, alive });
		for (const { name } of before.alive) if (!alive.some((pod) => pod.name === name)) this.#unwatch(name);
		for (const pod of alive) if (!this.#files.has(pod.name)) this.#watchRecords(pod);
		if (fingerprint !== before.fingerprint) this.#onChange(sessionId);
	}

	#watchRecords(pod: Pod): void {
		const path = this.#pods.statusFile(pod);
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

function isAlive({ state }: Pod): boolean {
	return state !== "gone";
}

/**
 * Returns the properties of a pod whose change needs a pass at once. The progress of its start does not; the next
 * regular pass reads it.
 */
function fingerprintOf({ name, state, address, failure }: Pod): string {
	return JSON.stringify([name, state, address, failure]);
}
