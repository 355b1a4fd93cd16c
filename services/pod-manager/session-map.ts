/** Values by the ids of sessions, of which a pod manager keeps a bounded count and forgets those without pods. */
import { maxRemembered } from "./pod-runtime.ts";

export class SessionMap<T> {
	readonly #values = new Map<string, T>();
	readonly #max: number;

	constructor(max = maxRemembered) {
		this.#max = max;
	}

	get size(): number {
		return this.#values.size;
	}

	get(id: string): T | undefined {
		return this.#values.get(id);
	}

	has(id: string): boolean {
		return this.#values.has(id);
	}

	/** Keeps a value. A session beyond the bound is left out. @returns Whether it was kept. */
	set(id: string, value: T): boolean {
		const hasRoom = this.#values.size < this.#max || this.#values.has(id);
		if (hasRoom) this.#values.set(id, value);
		return hasRoom;
	}

	delete(id: string): void {
		this.#values.delete(id);
	}

	/** Forgets all other sessions. */
	keepOnly(ids: ReadonlySet<string>): void {
		for (const id of this.#values.keys()) if (!ids.has(id)) this.#values.delete(id);
	}

	/** Returns the ids and values at this moment, so that they may change while they are looked at. */
	entries(): [string, T][] {
		return [...this.#values];
	}

	values(): T[] {
		return [...this.#values.values()];
	}
}
