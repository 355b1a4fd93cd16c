/** Follows the pods of sessions, and remembers sessions that ever had two pods at once of which neither had ended. */
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { sessionsNamespace } from "./simulated-cluster.ts";

interface Pod extends KubeObject {
	readonly status?: { readonly phase?: string };
}

export class PodLives implements AsyncDisposable {
	/** The sessions that had two living pods. */
	readonly doubled = new Set<string>();
	/** The uids of the pods that each session has had. */
	readonly uids = new Map<string, Set<string>>();
	readonly #ending = new AbortController();
	readonly #loop: WatchLoop<Pod, Pod>;
	readonly #running: Promise<void>;

	constructor(client: ApiClient) {
		this.#loop = new WatchLoop<Pod, Pod>({
			source: collectionSource<Pod>(client, { version: "v1", plural: "pods", namespace: sessionsNamespace }),
			kind: "pods",
			project: (pod) => pod,
			onChange: (name) => this.#changed(name),
		});
		this.#running = this.#loop.run(this.#ending.signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.#running;
	}

	#changed(name: string): void {
		const pod = this.#loop.get(name);
		const session = pod?.metadata.labels?.[label.session];
		if (!pod || session === undefined) return;
		const uids = this.uids.get(session) ?? new Set();
		this.uids.set(session, uids.add(pod.metadata.uid ?? ""));
		const own = this.#loop.list().filter(({ metadata }) => metadata.labels?.[label.session] === session);
		if (own.filter(isLiving).length > 1) this.doubled.add(session);
	}
}

function isLiving({ status }: Pod): boolean {
	return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
