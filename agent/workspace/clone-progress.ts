/** Tells how far the clones of a launch are, in lines of the log and in one sentence for the person who waits. */
import { monotonic } from "#shared/base/clock.ts";
import { withoutUserinfo } from "#shared/wire/git/repository-url.ts";
import type { Repository } from "#shared/wire/pod/launch.ts";
import type { RepositoryTiming } from "#shared/wire/pod/status.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { CloneStep } from "./clone-step.ts";

/** The time between two lines about one repository, and between two sentences. */
const quietMs = 1_000;
/** The longest sentence; a pod's status has to remain small. */
const maxSentence = 300;

interface Clone {
	readonly path: string;
	readonly name: string;
	state: string;
	begunAt: number | undefined;
	toldAt: number;
}

export class CloneProgress {
	readonly #log: LogBuffer;
	readonly #tell: (sentence: string) => void;
	readonly #clones: Clone[];
	readonly #timings: RepositoryTiming[] = [];
	#toldAt = monotonic();

	/** @param repositories All that are cloned. @param tell Receives a sentence at most once a second, none in the first one. */
	constructor(
		repositories: readonly Pick<Repository, "path" | "url">[],
		log: LogBuffer,
		tell: (sentence: string) => void,
	) {
		this.#log = log;
		this.#tell = tell;
		this.#clones = repositories.map(({ path, url }) => {
			return { path, name: path || withoutUserinfo(url), state: "waits", begunAt: undefined, toldAt: monotonic() };
		});
	}

	/** The times of the finished clones, in the order in which they ended. */
	get timings(): RepositoryTiming[] {
		return this.#timings;
	}

	/** @param n The number of the repository; the first is 0. */
	begin(n: number): void {
		this.#change(n, "begins", (clone) => {
			clone.begunAt = monotonic();
			this.#say(`Repository "${clone.name}" is being cloned (${n + 1} of ${this.#clones.length})`);
		});
	}

	step(n: number, { work, percent }: CloneStep): void {
		const text = percent === undefined ? work.toLowerCase() : `${work.toLowerCase()} ${percent} %`;
		this.#change(n, text, (clone) => {
			if (monotonic() - clone.toldAt < quietMs) return;
			clone.toldAt = monotonic();
			this.#say(`Repository "${clone.name}": ${text}`);
		});
	}

	done(n: number): void {
		this.#change(n, "done", (clone) => {
			const ms = Math.round(monotonic() - (clone.begunAt ?? monotonic()));
			this.#timings.push({ path: clone.path, ms });
			clone.state = `done in ${(ms / 1_000).toFixed(1)} s`;
			this.#say(`Repository "${clone.name}" was cloned in ${(ms / 1_000).toFixed(1)} s`);
		});
	}

	#change(n: number, state: string, record: (clone: Clone) => void): void {
		const clone = this.#clones[n];
		if (!clone) return;
		clone.state = state;
		record(clone);
		if (monotonic() - this.#toldAt < quietMs) return;
		this.#toldAt = monotonic();
		this.#tell(this.sentence);
	}

	/** Tells how far all clones are, e.g. `Cloning: api receiving objects 45 %, web done in 1.2 s`. */
	get sentence(): string {
		return `Cloning: ${this.#clones.map(({ name, state }) => `${name} ${state}`).join(", ")}`.slice(0, maxSentence);
	}

	#say(message: string): void {
		this.#log.add("INFO", "git", message);
	}
}
