/** The pods of one installation as a watch keeps them, by their sessions. */
import { createHash } from "node:crypto";
import { WatchLoop, type WatchLoopDependencies } from "#shared/kubernetes/watch/watch-loop.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { KeptPods } from "./cluster-pods.ts";
import { launchOf } from "./objects/cluster-names.ts";
import { type PodObject, podObject } from "./objects/pod-object.ts";
import type { Circumstances } from "./state/circumstances.ts";
import { clusterPod } from "./state/pod-state.ts";

type Source = WatchLoopDependencies<KubeObject, PodObject>["source"];

/** It follows the pods until its signal aborts. */
export class WatchedPods implements KeptPods {
	readonly #loop: WatchLoop<KubeObject, PodObject>;
	/** The names of the pods of each session. */
	readonly #names = new Map<string, ReadonlySet<string>>();
	/** Each pod that is kept: its session, and what the platform has read of it, as a digest. */
	readonly #told = new Map<string, ToldPod>();
	/** The digests of the pods that were read before the first list. */
	#seen: ReadonlyMap<string, string> = new Map();
	readonly #listeners = new Set<(sessionId: string) => void>();

	constructor(source: Source, metrics: NonNullable<WatchLoopDependencies<KubeObject, PodObject>["metrics"]>) {
		this.#loop = new WatchLoop<KubeObject, PodObject>({
			source,
			kind: "pods",
			project,
			onChange: (name, isFirst) => this.#changed(name, isFirst),
			metrics,
		});
	}

	get isFresh(): boolean {
		return this.#loop.isFresh;
	}

	/** Why it does not go on, for the operator; undefined when all is well. */
	get trouble(): string | undefined {
		return this.#loop.trouble;
	}

	ofSession(sessionId: string): readonly PodObject[] {
		const names = [...(this.#names.get(sessionId) ?? [])];
		return names.map((name) => this.#loop.get(name)).filter((pod) => pod !== undefined);
	}

	all(): readonly PodObject[] {
		return this.#loop.list();
	}

	/** Learns what somebody else has read: of the first list, only what differs from that is told. */
	compareWith(pods: readonly PodObject[]): void {
		this.#seen = new Map(pods.map((pod) => [pod.metadata.name, digestOf(pod)]));
	}

	run(signal: AbortSignal): Promise<void> {
		return this.#loop.run(signal);
	}

	/** Calls the function with the session of each pod that changes, until the signal aborts. */
	tell(listener: (sessionId: string) => void, signal: AbortSignal): void {
		this.#listeners.add(listener);
		signal.addEventListener("abort", () => this.#listeners.delete(listener));
	}

	#changed(name: string, isFirst: boolean): void {
		const former = this.#told.get(name);
		const now = this.#keep(name);
		const { sessionId } = now ?? former ?? {};
		if (sessionId === undefined) return;
		this.#keepName(sessionId, name, now !== undefined);
		const isNews = isFirst ? this.#differs(name, now) : now?.digest !== former?.digest;
		// Machines and schedulers change much of a pod that means nothing to its session.
		if (isNews) for (const listener of this.#listeners) listener(sessionId);
	}

	/** Whether a pod of the first list is not as somebody else has read it. */
	#differs(name: string, now: ToldPod | undefined): boolean {
		const seen = this.#seen.get(name);
		return seen !== undefined && seen !== now?.digest;
	}

	/** Keeps what is told of a pod; returns it, or undefined for one that is gone or belongs to no session. */
	#keep(name: string): ToldPod | undefined {
		const pod = this.#loop.get(name);
		const launch = pod && launchOf(pod.metadata);
		if (!pod || !launch) {
			this.#told.delete(name);
			return undefined;
		}
		const { sessionId } = launch;
		const now = { sessionId, digest: digestOf(pod) };
		this.#told.set(name, now);
		return now;
	}

	#keepName(sessionId: string, name: string, isThere: boolean): void {
		const names = new Set(this.#names.get(sessionId));
		if (isThere) names.add(name);
		else names.delete(name);
		if (names.size > 0) this.#names.set(sessionId, names);
		else this.#names.delete(sessionId);
	}
}

interface ToldPod {
	readonly sessionId: string;
	readonly digest: string;
}

const atOnce: Circumstances = { seenFor: () => 0, eventsOf: () => [] };

/** Returns what a pass would see of the pod at this moment. */
function digestOf(pod: PodObject): string {
	return createHash("sha256")
		.update(JSON.stringify([pod.metadata.uid, clusterPod(pod, atOnce)]))
		.digest("base64");
}

/** @throws {TypeError} for what is no pod. */
function project(object: KubeObject): PodObject {
	const pod = podObject(object);
	if (!pod) throw new TypeError("This is no pod");
	return pod;
}
