/** The pods of one installation as a watch keeps them, by their sessions. */
import { WatchLoop, type WatchLoopDependencies } from "#shared/kubernetes/watch/watch-loop.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { KeptPods } from "./cluster-pods.ts";
import { launchOf } from "./objects/cluster-names.ts";
import { type PodObject, podObject } from "./objects/pod-object.ts";

type Source = WatchLoopDependencies<KubeObject, PodObject>["source"];

/** It follows the pods until its signal aborts. */
export class WatchedPods implements KeptPods {
	readonly #loop: WatchLoop<KubeObject, PodObject>;
	/** The names of the pods of each session. */
	readonly #names = new Map<string, ReadonlySet<string>>();
	/** The session of each pod that is kept. */
	readonly #sessions = new Map<string, string>();
	readonly #listeners = new Set<(sessionId: string) => void>();

	constructor(source: Source, metrics: NonNullable<WatchLoopDependencies<KubeObject, PodObject>["metrics"]>) {
		this.#loop = new WatchLoop<KubeObject, PodObject>({
			source,
			kind: "pods",
			project,
			onChange: (name) => this.#changed(name),
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

	run(signal: AbortSignal): Promise<void> {
		return this.#loop.run(signal);
	}

	/** Calls the function with the session of each pod that changes, until the signal aborts. */
	tell(listener: (sessionId: string) => void, signal: AbortSignal): void {
		this.#listeners.add(listener);
		signal.addEventListener("abort", () => this.#listeners.delete(listener));
	}

	#changed(name: string): void {
		const pod = this.#loop.get(name);
		const sessionId = pod ? launchOf(pod.metadata.labels)?.sessionId : this.#sessions.get(name);
		if (sessionId === undefined) return;
		const names = new Set(this.#names.get(sessionId));
		if (pod) names.add(name);
		else names.delete(name);
		if (pod) this.#sessions.set(name, sessionId);
		else this.#sessions.delete(name);
		if (names.size > 0) this.#names.set(sessionId, names);
		else this.#names.delete(sessionId);
		for (const listener of this.#listeners) listener(sessionId);
	}
}

/** @throws {TypeError} for what is no pod. */
function project(object: KubeObject): PodObject {
	const pod = podObject(object);
	if (!pod) throw new TypeError("This is no pod");
	return pod;
}
