/**
 * The objects of a cluster in memory, as an API server keeps them: versions, finalizers, preconditions, and a history from which
 * watches and lists of former states are answered until it is compacted. Everything is synchronous.
 */
import { randomUUID } from "node:crypto";
import type { ObjectMeta } from "#shared/kubernetes/api/kube-object.ts";
import { asSeenBy, type Change, matches, type StoredObject } from "./label-selection.ts";

/** A refusal, as `Status` says it. */
export class ClusterRefusal extends Error {
	readonly code: number;
	readonly reason: string;
	readonly causes: readonly { reason: string; message: string }[];

	constructor(code: number, reason: string, message: string, causes: { reason: string; message: string }[] = []) {
		super(message);
		this.code = code;
		this.reason = reason;
		this.causes = causes;
	}

	get body(): object {
		const { code, reason, message, causes } = this;
		return { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code, details: { causes } };
	}
}

/** The conditions of a deletion. */
export interface Preconditions {
	readonly uid?: string;
	readonly resourceVersion?: string;
}

export class ClusterObjects {
	#version = 1_000;
	#compacted = 0;
	#objects = new Map<string, StoredObject>();
	#history: Change[] = [];
	readonly #listeners = new Set<(change: Change) => void>();

	get version(): number {
		return this.#version;
	}

	/** @param collection The path of the collection, such as `/api/v1/namespaces/sessions/pods`. */
	create(collection: string, object: StoredObject): StoredObject {
		const { name } = object.metadata;
		if (this.#objects.has(`${collection}/${name}`))
			throw new ClusterRefusal(409, "AlreadyExists", `"${name}" already exists`);
		const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: "2026-01-01T00:00:00Z" };
		return this.#store("ADDED", collection, { ...object, metadata });
	}

	get(collection: string, name: string): StoredObject {
		const found = this.#objects.get(`${collection}/${name}`);
		if (!found) throw new ClusterRefusal(404, "NotFound", `"${name}" not found`);
		return found;
	}

	/** Stores the object if it is of the stored version, and ends it when it has been deleted and no finalizer is left. */
	replace(collection: string, name: string, object: StoredObject): StoredObject {
		const former = this.get(collection, name);
		const { resourceVersion, uid } = object.metadata;
		if (uid !== undefined && uid !== former.metadata.uid) throw conflict(name, "the UID in the precondition differs");
		if (resourceVersion !== undefined && resourceVersion !== former.metadata.resourceVersion)
			throw conflict(name, "the object has been modified; please apply your changes to the latest version");
		const next = { ...object, metadata: { ...object.metadata, ...bornAs(former.metadata) } };
		const isOver = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
		return this.#store(isOver ? "DELETED" : "MODIFIED", collection, next);
	}

	/** Returns the object when a finalizer keeps it; undefined when it is gone. */
	delete(collection: string, name: string, { uid, resourceVersion }: Preconditions = {}): StoredObject | undefined {
		const former = this.get(collection, name);
		const { metadata } = former;
		if (uid !== undefined && uid !== metadata.uid) throw conflict(name, "the UID in the precondition differs");
		if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
			throw conflict(name, "the ResourceVersion in the precondition differs");
		if ((metadata.finalizers ?? []).length === 0) {
			this.#store("DELETED", collection, former);
			return undefined;
		}
		if (metadata.deletionTimestamp !== undefined) return former;
		const leaving = { ...former, metadata: { ...metadata, deletionTimestamp: "2026-01-02T00:00:00Z" } };
		return this.#store("MODIFIED", collection, leaving);
	}

	/** Returns the objects of a state that is remembered; default: the newest one. */
	list(collection: string, selector = "", at = this.#version): StoredObject[] {
		if (at < this.#compacted) throw this.#expired(at);
		if (at > this.#version) throw tooLarge(at);
		const found = at === this.#version ? this.#objects : this.#stateOf(at);
		return [...found]
			.filter(([key, object]) => isIn(key, collection) && matches(object, selector))
			.map(([, each]) => each);
	}

	/** Returns the events since a state, as a watch with the selector tells them. */
	changesSince(version: number, collection: string, selector = ""): Change[] {
		if (version < this.#compacted) throw this.#expired(version);
		if (version > this.#version) throw tooLarge(version);
		return this.#history
			.filter((change) => change.version > version && change.collection === collection)
			.flatMap((change) => asSeenBy(change, selector) ?? []);
	}

	/** Calls the listener after each change until it is taken off. */
	listen(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Moves the version on, as the changes of other collections do. */
	touch(times = 1): void {
		this.#version += times;
	}

	/** Forgets all states but the newest. */
	compact(): void {
		this.#compacted = this.#version;
		this.#history = this.#history.filter(({ version }) => version > this.#compacted);
	}

	/** Returns a function that puts this state back, as the restoration of a backup does. */
	backup(): () => void {
		const [version, objects] = [this.#version, new Map(this.#objects)];
		return () => {
			[this.#version, this.#objects, this.#history, this.#compacted] = [version, objects, [], version];
		};
	}

	#store(type: Change["type"], collection: string, object: StoredObject): StoredObject {
		const key = `${collection}/${object.metadata.name}`;
		const former = this.#objects.get(key);
		const version = ++this.#version;
		const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
		if (type === "DELETED") this.#objects.delete(key);
		else this.#objects.set(key, stored);
		const change = { type, version, collection, object: stored, former };
		this.#history.push(change);
		for (const listener of this.#listeners) listener(change);
		return stored;
	}

	#stateOf(at: number): Map<string, StoredObject> {
		const state = new Map(this.#objects);
		for (const { version, collection, object, former } of this.#history.toReversed()) {
			if (version <= at) break;
			const key = `${collection}/${object.metadata.name}`;
			if (former) state.set(key, former);
			else state.delete(key);
		}
		return state;
	}

	#expired(version: number): ClusterRefusal {
		return new ClusterRefusal(410, "Expired", `too old resource version: ${version} (${this.#compacted})`);
	}
}

function isIn(key: string, collection: string): boolean {
	return key.startsWith(`${collection}/`);
}

/** The members that nobody changes by replacing an object. */
function bornAs({ name, uid, creationTimestamp, deletionTimestamp }: ObjectMeta) {
	return {
		name,
		...(uid !== undefined && { uid }),
		...(creationTimestamp !== undefined && { creationTimestamp }),
		...(deletionTimestamp !== undefined && { deletionTimestamp }),
	};
}

function conflict(name: string, why: string): ClusterRefusal {
	return new ClusterRefusal(409, "Conflict", `Operation cannot be fulfilled on "${name}": ${why}`);
}

function tooLarge(version: number): ClusterRefusal {
	const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" };
	return new ClusterRefusal(504, "Timeout", `Too large resource version: ${version}`, [cause]);
}
