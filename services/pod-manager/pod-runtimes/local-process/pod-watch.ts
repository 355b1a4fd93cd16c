/** Tells which sessions have pods that changed: a look each second, and at once when a status file is written. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { every } from "#shared/clock.ts";
import type { Pod } from "../../pod-runtime.ts";

const lookMs = 1_000;

export interface WatchedPods {
	list(): Promise<Pod[]>;
	statusFile(pod: Pod): string;
	/** What has to be done for living pods now and then. */
	tend(pod: Pod): Promise<void>;
}

export class PodWatch {
	readonly #pods: WatchedPods;
	readonly #onChange: (sessionId: string) => void;
	readonly #signal: AbortSignal;
	/** By name. */
	readonly #files = new Map<string, FSWatcher>();
	/** What was seen last of each session's pods. */
	#seen = new Map<string, string>();
	#looking = false;
	#again = false;

	/** Ends with the signal. */
	constructor(pods: WatchedPods, onChange: (sessionId: string) => void, signal: AbortSignal) {
		this.#pods = pods;
		this.#onChange = onChange;
		this.#signal = signal;
		const timer = every(lookMs, () => this.look());
		signal.addEventListener("abort", () => {
			timer.cancel();
			for (const file of this.#files.values()) file.close();
		});
		this.look();
	}

	/** Looks now; called meanwhile, once more afterwards. */
	look(): void {
		this.#again = true;
		if (!this.#looking) void this.#look();
	}

	async #look(): Promise<void> {
		this.#looking = true;
		while (this.#again && !this.#signal.aborted) {
			this.#again = false;
			try {
				const pods = await this.#pods.list();
				// It may have ended while it looked.
				if (this.#signal.aborted) break;
				this.#compare(pods);
				await this.#tend(pods.filter(({ state }) => state !== "gone"));
			} catch {
				// The next second looks again; a pass over the session meets the same error and reports it.
			}
		}
		this.#looking = false;
	}

	#compare(pods: readonly Pod[]): void {
		const seen = new Map<string, string>();
		for (const pod of pods) seen.set(pod.sessionId, `${seen.get(pod.sessionId) ?? ""}${gist(pod)}`);
		for (const id of new Set([...seen.keys(), ...this.#seen.keys()])) {
			if (seen.get(id) !== this.#seen.get(id)) this.#onChange(id);
		}
		this.#seen = seen;
	}

	async #tend(alive: readonly Pod[]): Promise<void> {
		const names = new Set(alive.map(({ name }) => name));
		for (const [name, file] of this.#files) if (!names.has(name)) this.#unwatch(name, file);
		for (const pod of alive) if (!this.#files.has(pod.name)) this.#watchStatus(pod);
		await Promise.all(alive.map((pod) => this.#pods.tend(pod)));
	}

	#watchStatus(pod: Pod): void {
		if (this.#signal.aborted) return;
		const path = this.#pods.statusFile(pod);
		try {
			const watcher = watch(dirname(path), { persistent: false });
			watcher.on("change", (_, file) => file === basename(path) && this.look());
			watcher.on("error", () => this.#unwatch(pod.name, watcher));
			this.#files.set(pod.name, watcher);
		} catch {
			// Watchers are few on some machines; the look each second does without.
		}
	}

	#unwatch(name: string, watcher: FSWatcher): void {
		watcher.close();
		this.#files.delete(name);
	}
}

/** What of a pod is worth a pass at once: how far it has come on its way is seen by the next one in any case. */
function gist({ name, state, address, failure }: Pod): string {
	return JSON.stringify([name, state, address, failure]);
}
