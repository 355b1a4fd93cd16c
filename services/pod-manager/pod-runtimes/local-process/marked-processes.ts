/**
 * The living processes of this installation's pods, found by the marker in their environment, whoever started them; a
 * session agent that waited for its session has the session in its title.
 * A process is known by its id together with its start time, because the system reuses ids.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { monotonic } from "#shared/clock.ts";
import { launchNameIn } from "#shared/pod/agent-title.ts";
import { marker } from "#shared/pod/launch.ts";
import { type Launch, parseLaunch } from "./launch.ts";

/** Set for the session agent itself and for nothing it starts. */
export const agentVariable = "ATELIER_ROLE";
export const agentRole = "agent";

export interface Mark extends Launch {
	/** Whether it is the session agent, or something that the agent started. */
	readonly isAgent: boolean;
}

export interface MarkedProcess extends Mark {
	readonly pid: number;
	/** Clock ticks from the machine's start to the process's. */
	readonly startTime: string;
}

interface Known {
	readonly startTime: string;
	readonly mark: Mark | undefined;
	/** Monotonic time from which its mark is not read again. */
	readonly settledAt: number;
}

/** Between fork and exec a process shows the environment of its parent; nobody takes this long there. */
const unsettledMs = 3_000;

export class MarkedProcesses {
	readonly #installation: string;
	readonly #user = process.geteuid?.();
	#known = new Map<number, Known>();
	#next: Promise<MarkedProcess[]> | undefined;

	/** @param installation Only processes with this value in their marker count. */
	constructor(installation: string) {
		this.#installation = installation;
	}

	/** What lives at some moment after the call; calls of one moment share a scan. */
	scan(): Promise<MarkedProcess[]> {
		this.#next ??= Promise.resolve().then(() => {
			this.#next = undefined;
			return this.#scan();
		});
		return this.#next;
	}

	#scan(): MarkedProcess[] {
		const known = new Map<number, Known>();
		const found: MarkedProcess[] = [];
		for (const name of readdirSync("/proc")) {
			const pid = Number(name);
			const startTime = Number.isInteger(pid) && this.#isOwn(pid) ? startTimeOf(pid) : undefined;
			if (startTime === undefined) continue;
			const entry = this.#look(pid, startTime);
			known.set(pid, entry);
			if (entry.mark) found.push({ pid, startTime, ...entry.mark });
		}
		this.#known = known;
		return found;
	}

	#isOwn(pid: number): boolean {
		return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === this.#user;
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
		const environment = new Set(readProc(pid, "environ")?.split("\0"));
		if (!environment.has(`${marker.installation}=${this.#installation}`)) return undefined;
		const isAgent = environment.has(`${agentVariable}=${agentRole}`);
		const session = valueIn(environment, marker.session);
		if (isAgent && session === "") return markInTitle(pid) ?? "waiting";
		const launch = parseLaunch(`${session}-g${valueIn(environment, marker.generation)}`);
		return launch && { ...launch, isAgent };
	}
}

function markInTitle(pid: number): Mark | undefined {
	const launch = parseLaunch(launchNameIn(readProc(pid, "cmdline") ?? "") ?? "");
	return launch && { ...launch, isAgent: true };
}

/** Sends a signal to the process, or to the whole group it leads, unless its id belongs to another one by now. */
export function sendSignal({ pid, startTime }: MarkedProcess, signal: NodeJS.Signals, { group = false } = {}): void {
	if (startTimeOf(pid) !== startTime) return;
	try {
		process.kill(group ? -pid : pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Undefined when there is no such process, or only its exit status is left (proc(5), `/proc/pid/stat`). */
function startTimeOf(pid: number): string | undefined {
	const stat = readProc(pid, "stat");
	if (stat === undefined) return undefined;
	// The name before it is in parentheses and may hold anything, parentheses too.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

/** Undefined when the process has ended or belongs to somebody else. */
function readProc(pid: number, file: "stat" | "environ" | "cmdline"): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		// Processes end while they are looked at: ENOENT, ESRCH; EACCES says it is none of ours.
		return undefined;
	}
}

function valueIn(environment: ReadonlySet<string>, name: string): string {
	for (const entry of environment) if (entry.startsWith(`${name}=`)) return entry.slice(name.length + 1);
	return "";
}
