/**
 * Looks all the time for sessions with two agents. A second agent finds the lock taken and ends, so two count only
 * after a while.
 */
import type { SessionProcess } from "../../support/platform/session-processes.ts";

const everyMs = 150;
/** The time that a start and a failed lock may take on a busy machine. */
const allowedMs = 3_000;

export class TwinWatch {
	readonly wrong: string[] = [];
	readonly #timer: NodeJS.Timeout;
	#since = new Map<string, number>();

	constructor(processes: () => SessionProcess[]) {
		this.#timer = setInterval(() => this.#look(processes()), everyMs);
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	#look(processes: readonly SessionProcess[]): void {
		const agents = processes.filter(({ isAgent }) => isAgent);
		const at = performance.now();
		const since = new Map<string, number>();
		for (const [index, { session, pid }] of agents.entries()) {
			const twin = agents.find((other, place) => place > index && other.session === session);
			if (twin) since.set(`session ${session} has agents ${pid} and ${twin.pid}`, at);
		}
		for (const [pair, now] of since) {
			const first = this.#since.get(pair) ?? now;
			since.set(pair, first);
			if (now - first > allowedMs && !this.wrong.includes(pair)) this.wrong.push(pair);
		}
		this.#since = since;
	}
}
