/**
 * The pods of one installation as the platform sees them. What a watch has kept may say that a pod is there; only the cluster itself
 * says that there is none.
 */
import { LRUCache } from "lru-cache";
import type { Pod } from "../../pod-runtime.ts";
import type { Launch } from "../launches/launch.ts";
import { label, launchOf, objectName, volumeClaimName } from "./objects/cluster-names.ts";
import { conditionOf, type PodObject } from "./objects/pod-object.ts";
import { clusterPod } from "./state/pod-state.ts";
import type { SessionObjects } from "./objects/session-objects.ts";
import { Sightings } from "./state/sightings.ts";

/** A pod that starts is late after this time, in milliseconds: its events are read then. */
const lateMs = 4_000;
const maxRemoved = 4_096;

/** The pods that a watch has kept. */
export interface KeptPods {
	/** Whether it has heard from the cluster a moment ago. */
	readonly isFresh: boolean;
	/** Returns the pods of a session. */
	ofSession(sessionId: string): readonly PodObject[];
	all(): readonly PodObject[];
	/** Learns the pods that somebody else has read before it has heard of any. */
	compareWith(pods: readonly PodObject[]): void;
}

/** The pods of a session as the cluster has told them during one pass. */
interface PassReading {
	readonly sessionId: string;
	readonly objects: readonly PodObject[];
}

/** A session with its newest launch; undefined: only the cluster knows which one it is. */
interface NewestLaunch {
	readonly sessionId: string;
	readonly generation?: number | undefined;
}

/** A pod, and the object that shows it. */
interface FoundPod {
	readonly pod: Pod;
	readonly object: PodObject;
}

export class ClusterPods {
	readonly #objects: SessionObjects;
	readonly #kept: KeptPods;
	readonly #sightings = new Sightings();
	/** The uids of pods that this process has removed, which a watch may still keep for a moment. */
	readonly #removed = new LRUCache<string, true>({ max: maxRemoved });
	/** The readings of passes, by their signals: a pass that creates a pod has asked a moment ago whether there is one. */
	readonly #readings = new WeakMap<AbortSignal, PassReading>();

	constructor(objects: SessionObjects, kept: KeptPods) {
		this.#objects = objects;
		this.#kept = kept;
	}

	async ofSession(newest: NewestLaunch, signal?: AbortSignal): Promise<Pod[]> {
		return this.#seen(await this.#objectsOf(newest, signal));
	}

	/**
	 * Returns the pods of a session from the cluster and no cache: a step that cannot be taken back follows. A pass with a signal asks once, as
	 * long as it has changed nothing.
	 */
	async foundNow(sessionId: string, signal?: AbortSignal): Promise<FoundPod[]> {
		const read = signal && this.#readings.get(signal);
		return this.#found(read?.sessionId === sessionId ? read.objects : await this.#objects.listPods(sessionId, signal));
	}

	/** A pass is about to change pods, so that it has to ask anew afterwards. */
	changing(signal: AbortSignal | undefined): void {
		if (signal) this.#readings.delete(signal);
	}

	/**
	 * Returns all pods. Each that differs from what its session wants is looked at by a pass, so that pods which were kept are enough as long as
	 * the cluster is heard.
	 */
	async all(): Promise<Pod[]> {
		const there = (await this.#allObjects()).filter(({ metadata }) => !this.#removed.has(metadata.uid));
		return there.map((object) => clusterPod(object, this.#sightings)).filter((pod) => pod !== undefined);
	}

	async #allObjects(): Promise<readonly PodObject[]> {
		if (this.#kept.isFresh) return this.#kept.all();
		const listed = await this.#objects.listPods();
		// The watch has heard newer ones meanwhile.
		if (this.#kept.isFresh) return this.#kept.all();
		this.#kept.compareWith(listed);
		return listed;
	}

	/**
	 * The kept pods are enough if one of them is of the newest launch. Pods of earlier ones may have been removed since, and a later one may
	 * run in their place.
	 */
	async #objectsOf({ sessionId, generation }: NewestLaunch, signal?: AbortSignal): Promise<readonly PodObject[]> {
		const watched = this.#kept.isFresh ? this.#kept.ofSession(sessionId) : [];
		const kept = watched.filter(({ metadata }) => !this.#removed.has(metadata.uid));
		if (kept.some(({ metadata }) => launchOf(metadata)?.generation === generation)) return kept;
		const objects = await this.#objects.listPods(sessionId, signal);
		if (signal) this.#readings.set(signal, { sessionId, objects });
		return objects;
	}

	/** Returns the object of a launch's pod; undefined when there is none. */
	async objectOf(launch: Launch): Promise<PodObject | undefined> {
		const name = objectName(launch);
		const found = (await this.#objectsOf(launch)).find(({ metadata }) => metadata.name === name);
		return found ?? this.#objects.podNow(name);
	}

	/** Learns that a pod was removed. */
	removed({ metadata }: PodObject): void {
		this.#removed.set(metadata.uid, true);
	}

	async #seen(objects: readonly PodObject[]): Promise<Pod[]> {
		return (await this.#found(objects)).map(({ pod }) => pod);
	}

	async #found(objects: readonly PodObject[]): Promise<FoundPod[]> {
		const found: FoundPod[] = [];
		for (const object of objects) {
			const pod = await this.#pod(object);
			if (pod) found.push({ pod, object });
		}
		return found;
	}

	async #pod(object: PodObject): Promise<Pod | undefined> {
		const pod = clusterPod(object, this.#sightings);
		if (pod?.state !== "launching" || !this.#isLate(object)) return pod;
		const { uid, labels } = object.metadata;
		const { events } = this.#objects;
		const isScheduled = conditionOf(object, "PodScheduled")?.status === "True";
		const claim = volumeClaimName(labels?.[label.workspace] ?? "");
		// A volume is made before the pod has a machine, and mounted after that.
		const read = () => (isScheduled ? events.ofPod(uid) : events.ofClaim(claim));
		await this.#sightings.learn(uid, read);
		return clusterPod(object, this.#sightings);
	}

	/** Whether its object does not say why it does not go on. */
	#isLate(object: PodObject): boolean {
		const isReady = conditionOf(object, "ContainersReady")?.status === "True";
		return !isReady && this.#sightings.seenFor(object.metadata.uid, "launching") > lateMs;
	}
}
