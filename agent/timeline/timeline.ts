/** The session's timeline in its pod, from the moment the workspace exists to the last look at it. */
import { join } from "node:path";
import { isoTime, monotonic, now, sleep } from "#shared/base/clock.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { Git } from "../workspace/git.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { treesOfLaunch } from "../workspace/work-tree.ts";
import { errorRecords } from "./records.ts";
import { TimelineLog } from "./timeline-log.ts";
import { readMemory, type TimelineMemory, writeMemory } from "./timeline-memory.ts";
import { TurnTimeline } from "./turn-timeline.ts";
import { WatchedTrees } from "./watched-trees.ts";
import type { Changes } from "./workspace-watch.ts";

/** How long the first turn waits for the first look. */
const firstLookMs = 10_000;
const nothing: Changes = { files: [], commits: [] };

export interface TimelineDependencies {
	readonly launch: LaunchDocument;
	/** Git has the environment for work without a remote. */
	readonly git: Git;
	readonly log: LogBuffer;
	/** Tells the tokens that were metered since the launch; undefined when they are not counted. */
	readonly metered: () => TokenCounts | undefined;
}

/** Facts about a session that do not depend on what its agent says. */
export interface SessionFacts extends Changes {
	/** The seconds that its pods have run. */
	readonly seconds: number;
}

/** Owns the records, the watch on the workspace and the file for the next pod. */
export class Timeline {
	readonly records = new TimelineLog();
	readonly turns: TurnTimeline;
	readonly #dependencies: TimelineDependencies;
	readonly #file: string;
	readonly #since = monotonic();
	readonly #ready = Promise.withResolvers<void>();
	#opening: Promise<void> | undefined;
	#watch: WatchedTrees | undefined;
	#memory: TimelineMemory = { heads: {}, seconds: 0 };
	#isTroubleLogged = false;

	constructor(dependencies: TimelineDependencies) {
		this.#dependencies = dependencies;
		this.#file = join(dependencies.launch.state, "timeline.json");
		const { metered } = dependencies;
		const look = (): Promise<Changes> => this.#look();
		this.turns = new TurnTimeline({ log: this.records, look, ready: this.#ready.promise, metered });
	}

	/** Begins when the workspace exists and nobody works in it yet. */
	begin(): void {
		this.#opening = this.#open().catch((error: unknown) => this.#sayTrouble(error));
		void Promise.race([this.#opening, sleep(firstLookMs)]).then(() => this.#ready.resolve());
	}

	/** The facts that need no look at the workspace. */
	get noFacts(): SessionFacts {
		return { ...nothing, seconds: this.#seconds };
	}

	/** Resolves with what had changed at the last look since the session began. */
	async facts(): Promise<SessionFacts> {
		const watch = this.#watch;
		const since = watch?.since(this.#memory.heads) ?? Promise.resolve(nothing);
		const changes = await since.catch((error: unknown) => {
			this.#sayTrouble(error);
			return nothing;
		});
		return { ...changes, seconds: this.#seconds };
	}

	async end(): Promise<void> {
		this.#ready.resolve();
		if (this.#opening) await this.turns.end();
	}

	/** Adds the last records. @param failure The reason why the pod ends; absent when it was asked to end. */
	stop(failure: string | undefined): void {
		if (!this.#opening) return;
		const at = isoTime();
		const used = this.#dependencies.metered();
		const data = { reason: failure === undefined ? "stopped" : "failed", total_tokens: used ? totalTokens(used) : 0 };
		if (failure !== undefined) this.records.add(...errorRecords(failure, "session", at));
		this.records.add({ event: { event_type: "session_stop", timestamp: at, data } });
	}

	/** Stores what the next pod needs, and removes everything else. */
	async close(): Promise<void> {
		await this.#opening;
		const { heads } = this.#memory;
		if (this.#watch) await writeMemory(this.#file, { heads, seconds: this.#seconds }).catch(() => {});
		await this.#watch?.close();
	}

	get #seconds(): number {
		return this.#memory.seconds + Math.round((monotonic() - this.#since) / 1_000);
	}

	async #open(): Promise<void> {
		const { home, model, repositories } = this.#dependencies.launch;
		const at = isoTime();
		const [own] = repositories;
		const data = { model, repo: own?.url ?? "", branch: own?.branch ?? "" };
		const former = await readMemory(this.#file);
		const label = former ? "Session started again" : "Session started";
		this.records.add(
			{ entry: { at, type: "session", label } },
			{ event: { event_type: "session_start", timestamp: at, data } },
		);
		const place = { scratch: home, git: this.#dependencies.git, since: now() };
		this.#watch = await WatchedTrees.open(treesOfLaunch(this.#dependencies.launch), place);
		this.#memory = former ?? { heads: this.#watch.heads, seconds: 0 };
		if (!former) await writeMemory(this.#file, this.#memory);
	}

	async #look(): Promise<Changes> {
		try {
			const changes = (await this.#watch?.look()) ?? nothing;
			this.#isTroubleLogged = false;
			return changes;
		} catch (error) {
			this.#sayTrouble(error);
			return nothing;
		}
	}

	/** Logs a failure once, until a look succeeds again. */
	#sayTrouble(error: unknown): void {
		if (this.#isTroubleLogged) return;
		this.#isTroubleLogged = true;
		const said = error instanceof Error ? error.message : String(error);
		this.#dependencies.log.add("WARNING", "session-agent", `The timeline is not complete: ${said}`);
	}
}
