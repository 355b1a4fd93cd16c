/** Keeps parts of the objects of one collection, by name. An object only gives way to a later version of it. */
import { isLater } from "./resource-version.ts";

/** One object as it was seen. */
export interface KeptObject<Kept> {
	readonly name: string;
	readonly resourceVersion: string;
	readonly value: Kept;
}

export class KeptObjects<Kept> {
	readonly #objects = new Map<string, KeptObject<Kept>>();
	#version: string | undefined;

	/** The state of the collection; undefined before the first list. */
	get version(): string | undefined {
		return this.#version;
	}

	get(name: string): Kept | undefined {
		return this.#objects.get(name)?.value;
	}

	list(): Kept[] {
		return [...this.#objects.values()].map(({ value }) => value);
	}

	/** Moves the state on. It never goes back. */
	advance(version: string): void {
		if (this.#version === undefined || isLater(version, this.#version)) this.#version = version;
	}

	/** Returns whether it was new. */
	put(object: KeptObject<Kept>): boolean {
		const former = this.#objects.get(object.name);
		if (former && !isLater(object.resourceVersion, former.resourceVersion)) return false;
		this.#objects.set(object.name, object);
		return true;
	}

	/** Removes the object unless it has been seen in a later version. Returns whether it was there. */
	remove(name: string, version: string): boolean {
		const former = this.#objects.get(name);
		if (!former || isLater(former.resourceVersion, version)) return false;
		return this.#objects.delete(name);
	}

	/** Takes a whole list, and returns the names of what has changed. */
	takeList(version: string, objects: readonly KeptObject<Kept>[]): string[] {
		const listed = new Set(objects.map(({ name }) => name));
		const gone = [...this.#objects.keys()].filter((name) => !listed.has(name) && this.remove(name, version));
		const changed = objects.filter((object) => this.put(object)).map(({ name }) => name);
		this.advance(version);
		return [...gone, ...changed];
	}

	/** Forgets everything, because the cluster has gone back to an earlier state. Returns the names of what was there. */
	forget(): string[] {
		const names = [...this.#objects.keys()];
		this.#objects.clear();
		this.#version = undefined;
		return names;
	}

	/** Returns the names of the objects that are not as in a list of the same state. */
	differences(objects: readonly KeptObject<Kept>[]): string[] {
		const listed = new Map(objects.map(({ name, resourceVersion }) => [name, resourceVersion]));
		const wrong = [...listed].filter(([name, version]) => this.#objects.get(name)?.resourceVersion !== version);
		const extra = [...this.#objects.keys()].filter((name) => !listed.has(name));
		return [...wrong.map(([name]) => name), ...extra];
	}
}
