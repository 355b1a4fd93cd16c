/** Counts the calls of the bus that a process has served, by action, from its metrics. */
import type { CallCounts } from "./api-calls.ts";

export class BusCalls {
	readonly #opsUrl: string;
	#before: CallCounts = new Map();

	/** @param opsUrl The address of the process's metrics. */
	constructor(opsUrl: string) {
		this.#opsUrl = opsUrl;
	}

	/** Returns the calls since the last time. */
	async take(): Promise<CallCounts> {
		const text = await (await fetch(`${this.#opsUrl}/metrics`)).text();
		const lines = text.matchAll(/^atelier_bus_call_seconds_count\{action="([^"]+)"\} (\d+)$/gm);
		const now = new Map([...lines].map(([, action = "", count]) => [action, Number(count)]));
		const made = [...now].map(([action, count]) => [action, count - (this.#before.get(action) ?? 0)] as const);
		this.#before = now;
		return new Map(made.filter(([, count]) => count > 0));
	}
}
