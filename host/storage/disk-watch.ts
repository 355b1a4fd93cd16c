/**
 * Watches the room on the disk of the data folder, which sessions share with the store. A disk that is nearly full is said in the
 * log, at `/health` and by a metric; the process stays ready, because its API is the way to make room (docs/decisions/0108).
 */
import { every, type Timer } from "#shared/base/clock.ts";
import { freeBytes } from "#shared/base/files/free-bytes.ts";
import { shownIn } from "#shared/base/shown-sentences.ts";
import type { Config } from "#shared/config/config.ts";
import type { Platform } from "../platform.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";

const lookMs = 5_000;
const megabyte = 1_000_000;

interface DiskWatchDependencies extends Pick<Platform, "metrics" | "shortcomings" | "log"> {
	/** The disk counts as nearly full below `low_mb` free MB; 0: never. */
	readonly config: Pick<Config, "data_dir" | "disk">;
}

/** The watch of one process, which stops it. */
export class DiskWatch {
	readonly #given: DiskWatchDependencies;
	readonly #looks = new SingleFlight(
		() => this.#look(),
		() => {
			// Another check says that the file system does not answer.
		},
	);
	readonly #timer: Timer;
	readonly #show: ReturnType<typeof shownIn>;
	#sentence: string | undefined;

	constructor(given: DiskWatchDependencies) {
		this.#given = given;
		this.#show = shownIn(given.shortcomings);
		this.#timer = every(lookMs, () => this.#looks.request());
		given.metrics.sample("atelier_disk_free_bytes", () => freeBytes(given.config.data_dir));
		this.#looks.request();
	}

	stop(): void {
		this.#timer.cancel();
	}

	/** Resolves after a look that begins now. */
	look(): Promise<void> {
		return this.#looks.run();
	}

	async #look(): Promise<void> {
		const { config, log } = this.#given;
		const warn = (sentence: string) => log.error("Room on the disk:", sentence);
		const mb = Math.floor((await freeBytes(config.data_dir)) / megabyte);
		const former = this.#sentence;
		this.#sentence =
			mb >= config.disk.low_mb
				? undefined
				: `The disk of the data folder has ${mb} MB left: stop the sessions that fill it, and delete them with ` +
					`their workspaces (docs/workspaces.md, "A disk that is full")`;
		this.#show(this.#sentence === undefined ? [] : [this.#sentence]);
		if (this.#sentence !== undefined && former === undefined) warn(this.#sentence);
		if (this.#sentence === undefined && former !== undefined)
			warn(`The disk of the data folder has room again: ${mb} MB`);
	}
}
