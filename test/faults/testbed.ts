/** A platform under a fault run, its observers from outside, and their findings at the end. */
import { readFileSync } from "node:fs";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { Way } from "../support/clients/api-client.ts";
import type { EventFollowerOptions } from "../support/clients/event-follower.ts";
import { eventually } from "../support/eventually.ts";
import { processFile } from "../support/machine/process-file.ts";
import type { SessionView } from "../support/platform/session-steps.ts";
import type { TestPlatform } from "../support/platform/start-platform.ts";
import { answered } from "./answered.ts";
import type { Archiver } from "./clients/archiver.ts";
import type { BooksClient } from "./clients/books-client.ts";
import type { PromptsClient } from "./clients/prompts-client.ts";
import type { SettingsClient } from "./clients/settings-client.ts";
import { invariants, unsettled, type World } from "./invariants.ts";
import { Overheard, OverheardClient } from "./watches/overheard.ts";
import { type PassingOptions, PassingWatch } from "./watches/passing-watch.ts";
import type { SessionDriver } from "./session-driver.ts";
import { type StartOptions, StartWatch } from "./watches/start-watch.ts";
import { StreamFollower } from "./watches/stream-follower.ts";
import { TwinWatch } from "./watches/twin-watch.ts";

/**
 * The canaries are in the platform's environment under names that no agent may inherit, or in one of its arguments.
 */
const canary = "canary-0f8e2d6a41b7c953e8d1";
export const canaryEnvironment = { OPENAI_API_KEY: canary, AWS_SECRET_ACCESS_KEY: canary };

/** The faults by invariant. */
export type Verdict = Record<string, string[]>;

export function isBroken(verdict: Verdict): boolean {
	return Object.values(verdict).some((wrong) => wrong.length > 0);
}

export interface Findings {
	readonly invariants: Verdict;
	/** The milliseconds until every session had its final state; Infinity when one never had. */
	readonly settledMs: number;
}

/** The time of a pass, and of the removal of a deleted session. */
const graceMs = 3_000;

export interface TestbedOptions extends PassingOptions, StartOptions {
	/** The base of the paths of the gateway whose event stream is followed; by default the platform's own. */
	readonly streamPrefix?: string;
	/** How the event stream is followed, instead of `streamPrefix`. */
	readonly stream?: Omit<EventFollowerOptions, "take">;
	/** The way of each request; by default to the platform's own URL. */
	readonly way?: () => Way;
}

export class Testbed implements AsyncDisposable {
	readonly platform: TestPlatform;
	readonly api: OverheardClient;
	readonly overheard = new Overheard();
	readonly follower: StreamFollower;
	readonly twins: TwinWatch;
	readonly passing: PassingWatch;
	drivers: readonly SessionDriver[] = [];
	archiver: Archiver | undefined;
	books: BooksClient | undefined;
	settings: SettingsClient | undefined;
	prompts: PromptsClient | undefined;
	/** The launches whose agent was killed, as `<session>-g<generation>`: their sessions may be failed. */
	readonly killedAgents = new Set<string>();
	readonly starts: StartWatch;

	readonly #way: string | (() => Way);

	private constructor(platform: TestPlatform, options: TestbedOptions) {
		const { headers } = platform.login;
		const { streamPrefix = platform.prefix } = options;
		const { stream = { url: `${streamPrefix}/sessions/stream`, headers } } = options;
		this.platform = platform;
		this.#way = options.way ?? platform.prefix;
		this.api = new OverheardClient(this.#way, this.overheard, headers);
		this.follower = new StreamFollower(stream, this.overheard);
		this.twins = new TwinWatch(() => platform.sessionProcesses());
		this.passing = new PassingWatch(this.api, options);
		this.starts = new StartWatch(options);
	}

	/** Resolves when all observers are connected. */
	static async open(platform: TestPlatform, options: TestbedOptions = {}): Promise<Testbed> {
		const testbed = new Testbed(platform, options);
		await eventually(() => testbed.follower.connections > 0, { withinMs: 20_000, what: "the event stream is open" });
		return testbed;
	}

	/** Returns a client with the rights of the pod of a session's first launch. */
	podOf(session: string): OverheardClient {
		const token = openInstallationKey(this.platform.dataDir, "").podToken(session, 1);
		return new OverheardClient(this.#way, this.overheard, { authorization: `Bearer ${token}` });
	}

	/**
	 * Repeats the checks until every session has its final state and everything holds, for little more than `settleMs`
	 * at most.
	 */
	async judge(settleMs: number): Promise<Findings> {
		const settledMs = await this.#settled(settleMs);
		const world = await this.#world(Math.max(graceMs, settleMs + graceMs - settledMs));
		const verdict = Object.entries(invariants).map(([name, check]) => [name, check(world)]);
		return { settledMs, invariants: Object.fromEntries(verdict) };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.twins.stop();
		await Promise.all([this.follower.stop(), this.passing.stop()]);
	}

	async #settled(withinMs: number): Promise<number> {
		const since = performance.now();
		const { drivers, killedAgents } = this;
		const isSettled = async () => unsettled({ drivers, killedAgents, sessions: await this.#sessions() }).length === 0;
		const done = await eventually(isSettled, { withinMs, everyMs: 100 }).catch(() => false);
		return done ? Math.round(performance.now() - since) : Number.POSITIVE_INFINITY;
	}

	/** Resolves with the observations when everything holds, or when the time is over. */
	async #world(withinMs: number): Promise<World> {
		const calm = async () => {
			const world = await this.#look();
			return Object.values(invariants).every((check) => check(world).length === 0) && world;
		};
		return eventually(calm, { withinMs, everyMs: 200 }).catch(() => this.#look());
	}

	async #look(): Promise<World> {
		const sessions = await this.#sessions();
		const processes = this.platform.sessionProcesses();
		const conversations = new Map<string, string>();
		for (const { id, status } of sessions.values())
			if (status === "running") conversations.set(id, await this.#conversation(id));
		for (const { pid } of processes) this.overheard.hear(processFile(pid, "cmdline"));
		this.overheard.hear(this.platform.output);
		return {
			drivers: this.drivers,
			sessions,
			processes,
			conversations,
			killedAgents: this.killedAgents,
			machine: this.platform.machineState(),
			told: new Map(this.follower.told),
			exposed: this.overheard.exposed(this.#secrets()),
			stuck: [...this.passing.wrong],
			booksWrong: (await this.books?.wrong()) ?? [],
			settingsWrong: (await this.settings?.wrong()) ?? [],
			archiverWrong: this.#wrongAnswers(),
			streamWrong: [...this.follower.wrong],
			twins: [...this.twins.wrong],
			slowStarts: [...this.starts.wrong],
		};
	}

	#wrongAnswers(): string[] {
		return [this.archiver, this.prompts].flatMap((client) => client?.wrong ?? []);
	}

	async #sessions(): Promise<World["sessions"]> {
		const query = { include_archived: true };
		const { body } = await answered(() => this.api.get<(SessionView & { rev: number })[]>("/sessions", { query }));
		return new Map(body.map((session) => [session.id, session]));
	}

	/** A reused connection may be closed just then, so the request is repeated. */
	async #conversation(id: string): Promise<string> {
		return (await answered(() => this.api.get(`/sessions/${id}/conversation`))).text;
	}

	/** The keys of the installation, and of every launch there ever was. */
	#secrets(): string[] {
		const { dataDir } = this.platform;
		const key = openInstallationKey(dataDir, "");
		const launches = [...this.follower.launches].map((launch) => launch.split(" ") as [string, string]);
		return [
			canary,
			readFileSync(`${dataDir}/keys/installation`, "utf8").trim(),
			key.busSeal().toString("base64url"),
			...launches.flatMap(([id, generation]) => [
				key.podToken(id, Number(generation)),
				key.platformKey(id, Number(generation)),
			]),
		];
	}
}
