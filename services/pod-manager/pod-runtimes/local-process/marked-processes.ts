/**
 * Finds the living processes of this installation's pods, whichever process started them: by the mark in their
 * environment, by their control group, or, for a session agent that waited for its session, by its title.
 */
import { readdir } from "node:fs/promises";
import { monotonic, nextTurn, sleep } from "#shared/base/clock.ts";
import { launchNameIn } from "#shared/wire/pod/agent-title.ts";
import { marker } from "#shared/wire/pod/launch.ts";
import type { Launch } from "../launches/launch.ts";
import type { PodMarks } from "./pod-marks.ts";
import { isAlive, ownerOf, type ProcessIdentity, readProc, startTimeOf } from "#shared/base/files/process-files.ts";

/** The variable that is set for the session agent itself and for none of its child processes. */
export const agentVariable = "ATELIER_ROLE";
export const agentRole = "agent";

interface Mark extends Launch {
	/** Whether the process is the session agent, not one that the agent started. */
	readonly isAgent: boolean;
}

/** A living process that has the mark of a launch. */
export interface MarkedProcess extends Mark, ProcessIdentity {}

interface Known {
	readonly startTime: string;
	readonly mark: Mark | undefined;
	/** The monotonic time after which its mark is not read again. */
	readonly finalAt: number;
}

interface Scan {
	readonly begunAt: number;
	readonly found: readonly MarkedProcess[];
}

/**
 * The age, in milliseconds, from which a mark is final. Between fork and exec, which is far shorter, a process shows
 * the environment of its parent.
 */
const finalAfterMs = 3_000;
/** The least time between two scans of the whole machine, in milliseconds. */
const shareMs = 250;
/** The longest time that a scan blocks the event loop, in milliseconds. */
const sliceMs = 4;

/** The processes of one installation, with the cache of one platform process. */
export class MarkedProcesses {
	readonly #marks: PodMarks;
	readonly #groupOf: (cgroup: string) => Launch | undefined;
	readonly #user = process.geteuid?.();
	#known = new Map<number, Known>();
	#last: Scan = { begunAt: Number.NEGATIVE_INFINITY, found: [] };
	/**
	 * The scan under way. A SingleFlight does not fit here: a scan first waits for its time and is shared while it
	 * waits.
	 */
	#running: Promise<Scan> | undefined;
	/** The scan that has not begun. */
	#next: Promise<Scan> | undefined;
	/** Processes started by this process since the last scan began, by process id, with the time. */
	readonly #noted = new Map<number, { readonly at: number; readonly process: MarkedProcess }>();

	/** @param groupOf Returns the launch whose control group a process is in, from its `/proc/<pid>/cgroup`. */
	constructor(marks: PodMarks, groupOf: (cgroup: string) => Launch | undefined = () => undefined) {
		this.#marks = marks;
		this.#groupOf = groupOf;
	}

	/**
	 * Returns the processes that live at some moment after the call. Calls before a scan begins share it; at most one
	 * begins each 250 ms.
	 */
	async scan(): Promise<MarkedProcess[]> {
		this.#next ??= this.#begin();
		return this.#withNoted(await this.#next);
	}

	/** Returns the processes that lived at some moment in the last 250 ms. */
	async recent(): Promise<MarkedProcess[]> {
		if (monotonic() - this.#last.begunAt < shareMs) return this.#withNoted(this.#last);
		return this.#running ? this.#withNoted(await this.#running) : this.scan();
	}

	/**
	 * Returns the living processes of one session. Those known from a recent scan are checked by their ids; when all of
	 * them have ended, or when `surely` is set, the whole machine is scanned for further ones.
	 */
	async ofSession(sessionId: string, { surely = false } = {}): Promise<MarkedProcess[]> {
		const isOfIt = (process: MarkedProcess) => process.sessionId === sessionId;
		const recent = surely ? undefined : (await this.recent()).filter(isOfIt);
		const living = recent?.filter(isAlive);
		if (living && (living.length > 0 || recent?.length === 0)) return living;
		return (await this.scan()).filter(isOfIt);
	}

	/** Adds a process that has just become part of a pod. */
	note(pid: number, mark: Mark): void {
		const startTime = startTimeOf(pid);
		if (startTime !== undefined) this.#noted.set(pid, { at: monotonic(), process: { ...mark, pid, startTime } });
	}

	#withNoted({ found }: Scan): MarkedProcess[] {
		if (this.#noted.size === 0) return [...found];
		const all = new Map(found.map((process) => [process.pid, process]));
		for (const { process } of this.#noted.values()) if (isAlive(process)) all.set(process.pid, process);
		return [...all.values()];
	}

	async #begin(): Promise<Scan> {
		await this.#running;
		const waitMs = this.#last.begunAt + shareMs - monotonic();
		if (waitMs > 0) await sleep(waitMs);
		this.#next = undefined;
		this.#running = this.#scan().finally(() => {
			this.#running = undefined;
		});
		return this.#running;
	}

	async #scan(): Promise<Scan> {
		const begunAt = monotonic();
		const known = new Map<number, Known>();
		const found: MarkedProcess[] = [];
		for await (const { pid, startTime } of this.#ownProcesses()) {
			const entry = this.#look(pid, startTime);
			known.set(pid, entry);
			if (entry.mark) found.push({ pid, startTime, ...entry.mark });
		}
		this.#known = known;
		this.#last = { begunAt, found };
		for (const [pid, { at }] of this.#noted) if (at < begunAt) this.#noted.delete(pid);
		return this.#last;
	}

	/** Yields every living process of this user; in slices, because reading one takes about 15 µs. */
	async *#ownProcesses(): AsyncGenerator<ProcessIdentity> {
		const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
		let sliceBegan = monotonic();
		for (const pid of pids) {
			if (monotonic() - sliceBegan > sliceMs) {
				await nextTurn();
				sliceBegan = monotonic();
			}
			const startTime = ownerOf(pid) === this.#user ? startTimeOf(pid) : undefined;
			if (startTime !== undefined) yield { pid, startTime };
		}
	}

	#look(pid: number, startTime: string): Known {
		const former = this.#known.get(pid);
		const same = former?.startTime === startTime ? former : undefined;
		if (same && monotonic() >= same.finalAt) return same;
		const finalAt = same?.finalAt ?? monotonic() + finalAfterMs;
		const mark = this.#readMark(pid);
		if (mark !== "waiting") return { startTime, finalAt, mark };
		return { startTime, finalAt: Number.POSITIVE_INFINITY, mark: undefined };
	}

	#readMark(pid: number): Mark | "waiting" | undefined {
		const environment = environmentOf(pid);
		const isOurs =
			environment.get(marker.installation) === this.#marks.installation && !this.#marks.isElsewhere(environment);
		const isAgent = isOurs && environment.get(agentVariable) === agentRole;
		const waited = isAgent && !environment.has(marker.session);
		const launch = waited ? this.#launchInTitle(pid) : this.#launchOf(pid, isOurs ? environment : new Map());
		if (launch) return { ...launch, isAgent };
		return waited ? "waiting" : undefined;
	}

	#launchInTitle(pid: number): Launch | undefined {
		return this.#marks.parse(launchNameIn(readProc(pid, "cmdline") ?? "") ?? "");
	}

	#launchOf(pid: number, environment: ReadonlyMap<string, string>): Launch | undefined {
		return this.#groupOf(readProc(pid, "cgroup") ?? "") ?? this.#marks.launchIn(environment);
	}
}

/** Reads the environment of a process; the first value of a name counts, as for getenv(3). */
function environmentOf(pid: number): Map<string, string> {
	const variables = new Map<string, string>();
	for (const entry of readProc(pid, "environ")?.split("\0") ?? []) {
		const equals = entry.indexOf("=");
		const name = entry.slice(0, equals);
		if (equals > 0 && !variables.has(name)) variables.set(name, entry.slice(equals + 1));
	}
	return variables;
}
