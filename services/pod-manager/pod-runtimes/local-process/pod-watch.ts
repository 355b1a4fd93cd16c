/**
 * Tells which sessions have pods that changed. Of all pods a glimpse is taken each second, and one is looked at when
 * that has changed or a file of its records was written; all of them every ten seconds.
 */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { every, monotonic } from "#shared/clock.ts";
import { SingleFlight } from "#shared/single-flight.ts";
import type { Pod } from "../../pod-runtime.ts";

const glimpseMs = 1_000;
const lookAtAllMs = 10_000;

export interface WatchedPods {
	list(): Promise<Pod[]>;
	find(sessionId: string): Promise<Pod[]>;
	/** What can be seen of each session's pods without reading their records. */
	glimpse(): Promise<Map<string, string>>;
	statusFile(pod: Pod): string;
	/** What has to be done for living pods now and then. */
	tend(pod: Pod): Promise<void>;
}

/** What was seen of a session. */
interface Seen {
	readonly fingerprint: string;
	readonly alive: readonly Pod[];
}

export class PodWatch {
	readonly #pods: WatchedPods;
	readonly #onChange: (sessionId: string) => void;
	readonly #signal: AbortSignal;
	/** By the pod's name. */
	readonly #files = new Map<string, FSWatcher>();
	readonly #seen = new Map<string, Seen>();
	#glimpsed = new Map<string, string>();
	/** Sessions to look at. */
	readonly #wanted = new Set<string>();
	#lookAtAllAt = Number.NEGATIVE_INFINITY;
	/** A second has passed since the last look began. */
	#isGlimpseDue = false;
	/** A failure is not reported: the next second looks again, and a pass over the session meets the same error and reports it. */
	readonly #looks = new SingleFlight(() => this.#lookAround());

	/** Ends with the signal. */
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

	/** The pods of one session may have changed: looks at them now. */
	look(sessionId: string): void {
		this.#wanted.add(sessionId);
		this.#looks.request();
	}

	/** Not while it still looks: a slow machine is not asked more often than it answers. */
	#look(): void {
		if (this.#looks.isRunning) return;
		this.#isGlimpseDue = true;
		this.#looks.request();
	}

	/** At all pods or at a glimpse of them, when a second has passed, and then at the pods that are wanted by then. */
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
		// Watchers are few on some machines; those without one are looked at each second.
		for (const [id, { alive }] of this.#seen)
			if (alive.some(({ name }) => !this.#files.has(name))) this.#wanted.add(id);
	}

	async #lookAt(sessionId: string): Promise<void> {
		// What changes from here on is another change.
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
		// It may have ended while it looked.
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
			// The glimpse each second does without.
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

/** What of a pod is worth a pass at once: how far it has come on its way is seen by the next one in any case. */
function fingerprintOf({ name, state, address, failure }: Pod): string {
	return JSON.stringify([name, state, address, failure]);
}
