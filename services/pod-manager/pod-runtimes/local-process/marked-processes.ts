/**
 * The living processes of this installation's pods, whoever started them: found by the mark in their environment, by
 * the control group they are in, or, a session agent that waited for its session, by its title.
 */
import { readdir } from "node:fs/promises";
import { monotonic, nextTurn, sleep } from "#shared/clock.ts";
import { launchNameIn } from "#shared/pod/agent-title.ts";
import { marker } from "#shared/pod/launch.ts";
import type { Launch } from "./launch.ts";
import type { PodMarks } from "./pod-marks.ts";
import { isAlive, ownerOf, type ProcessIdentity, readProc, startTimeOf } from "#shared/process-files.ts";

/** Set for the session agent itself and for nothing it starts. */
export const agentVariable = "ATELIER_ROLE";
export const agentRole = "agent";

export interface Mark extends Launch {
	/** Whether it is the session agent, or something that the agent started. */
	readonly isAgent: boolean;
}

export interface MarkedProcess extends Mark, ProcessIdentity {}

interface Known {
	readonly startTime: string;
	readonly mark: Mark | undefined;
	/** Monotonic time from which its mark is not read again. */
	readonly settledAt: number;
}

/** What one look at the whole machine has found. */
interface Scan {
	readonly begunAt: number;
	readonly found: readonly MarkedProcess[];
}

/** Between fork and exec a process shows the environment of its parent; nobody takes this long there. */
const unsettledMs = 3_000;
/** From one look at the whole machine to the next. */
const shareMs = 250;
/** Nothing else of this process runs for so long while it looks. */
const sliceMs = 4;

export class MarkedProcesses {
	readonly #marks: PodMarks;
	readonly #groupOf: (cgroup: string) => Launch | undefined;
	readonly #user = process.geteuid?.();
	#known = new Map<number, Known>();
	#last: Scan = { begunAt: Number.NEGATIVE_INFINITY, found: [] };
	/** The one under way. A SingleFlight does not fit: a scan waits for its time first, and is shared for as long as it waits. */
	#running: Promise<Scan> | undefined;
	/** The one that has not begun. */
	#next: Promise<Scan> | undefined;
	/** Started from here after the last scan began, by process id, with the time. */
	readonly #noted = new Map<number, { readonly at: number; readonly process: MarkedProcess }>();

	/** @param groupOf The launch whose control group a process is in, from its `/proc/<pid>/cgroup`. */
	constructor(marks: PodMarks, groupOf: (cgroup: string) => Launch | undefined = () => undefined) {
		this.#marks = marks;
		this.#groupOf = groupOf;
	}

	/** What lives at some moment after the call. Whoever asks before it begins shares it; one begins each 250 ms at most. */
	async scan(): Promise<MarkedProcess[]> {
		this.#next ??= this.#begin();
		return this.#withNoted(await this.#next);
	}

	/** What lived at some moment in the last 250 ms. */
	async recent(): Promise<MarkedProcess[]> {
		if (monotonic() - this.#last.begunAt < shareMs) return this.#withNoted(this.#last);
		return this.#running ? this.#withNoted(await this.#running) : this.scan();
	}

	/**
	 * What lives of one session. Those that lived a moment ago are asked for by name; when all of them have ended, or when
	 * it must be sure that there are none, what they may have left is looked for.
	 */
	async ofSession(sessionId: string, { surely = false } = {}): Promise<MarkedProcess[]> {
		const isOfIt = (process: MarkedProcess) => process.sessionId === sessionId;
		const recent = surely ? undefined : (await this.recent()).filter(isOfIt);
		const living = recent?.filter(isAlive);
		if (living && (living.length > 0 || recent?.length === 0)) return living;
		return (await this.scan()).filter(isOfIt);
	}

	/** Makes a process known that has just become one of ours. */
	note(pid: number, mark: Mark): void {
		const startTime = startTimeOf(pid);
		if (startTime !== undefined) this.#noted.set(pid, { at: monotonic(), process: { ...mark, pid, startTime } });
	}

	/** Processes that were marked by a version without proofs, as they are now. */
	async unproven(): Promise<ProcessIdentity[]> {
		const found: ProcessIdentity[] = [];
		for await (const { pid, startTime } of this.#ownProcesses()) {
			if (isUnproven(pid, this.#marks.installation)) found.push({ pid, startTime });
		}
		return found;
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

	/** Every process of this user that has not ended; in slices, because asking for one takes about 15 us. */
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
		if (same && monotonic() >= same.settledAt) return same;
		const settledAt = same?.settledAt ?? monotonic() + unsettledMs;
		const mark = this.#readMark(pid);
		if (mark !== "waiting") return { startTime, settledAt, mark };
		return { startTime, settledAt: Number.POSITIVE_INFINITY, mark: undefined };
	}

	#readMark(pid: number): Mark | "waiting" | undefined {
		const environment = environmentOf(pid);
		const isOurs = environment.get(marker.installation) === this.#marks.installation;
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

function isUnproven(pid: number, installation: string): boolean {
	const environment = environmentOf(pid);
	if (environment.get(marker.installation) !== installation) return false;
	if (environment.has(marker.session)) return !environment.has(marker.proof);
	const name = launchNameIn(readProc(pid, "cmdline") ?? "");
	return name !== undefined && /-g\d+$/.test(name);
}

/** The first value of a name counts, as for getenv(3). */
function environmentOf(pid: number): Map<string, string> {
	const variables = new Map<string, string>();
	for (const entry of readProc(pid, "environ")?.split("\0") ?? []) {
		const equals = entry.indexOf("=");
		const name = entry.slice(0, equals);
		if (equals > 0 && !variables.has(name)) variables.set(name, entry.slice(equals + 1));
	}
	return variables;
}
