/**
 * Machines without containers, for a control plane that has nothing but its API: a pod is bound and runs at once, one that is deleted
 * has ended at once, and a claim that is deleted goes when no pod has it.
 */
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";

interface Pod extends KubeObject {
	readonly spec?: {
		readonly nodeName?: string;
		readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
	};
	readonly status?: { readonly phase?: string; readonly podIP?: string };
}

export class SimulatedMachines implements AsyncDisposable {
	readonly #client: ApiClient;
	readonly #namespace: string;
	readonly #ending = new AbortController();
	readonly #pods: WatchLoop<Pod, Pod>;
	readonly #claims: WatchLoop<KubeObject, KubeObject>;
	readonly #running: Promise<unknown>;
	readonly #atWork = new Set<string>();
	#address = 0;

	constructor(client: ApiClient, namespace: string) {
		this.#client = client;
		this.#namespace = namespace;
		this.#pods = this.#loopOver<Pod>("pods", (name) => this.#podChanged(name));
		this.#claims = this.#loopOver("persistentvolumeclaims", (name) => this.#claimChanged(name));
		this.#running = Promise.all([this.#pods.run(this.#ending.signal), this.#claims.run(this.#ending.signal)]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.#running;
	}

	#loopOver<T extends KubeObject>(plural: string, onChange: (name: string) => void): WatchLoop<T, T> {
		const source = collectionSource<T>(this.#client, this.#of(plural));
		return new WatchLoop<T, T>({ source, kind: plural, project: (object) => object, onChange });
	}

	#podChanged(name: string): void {
		const pod = this.#pods.get(name);
		if (!pod) for (const { metadata } of this.#claims.list()) this.#claimChanged(metadata.name);
		else void this.#once(`pod ${name}`, () => this.#settle(pod)).then((isDone) => isDone && this.#podAgain(pod));
	}

	/** A change that came meanwhile is looked at. */
	#podAgain({ metadata }: Pod): void {
		const now = this.#pods.get(metadata.name);
		if (now && now.metadata.resourceVersion !== metadata.resourceVersion) this.#podChanged(metadata.name);
	}

	async #settle(pod: Pod): Promise<void> {
		const { metadata, spec, status } = pod;
		if (hasEnded(pod)) return;
		if (metadata.deletionTimestamp !== undefined) return this.#tell(metadata.name, { phase: "Succeeded", ...ended });
		if (spec?.nodeName === undefined) return this.#bind(metadata.name);
		if (status?.podIP === undefined) await this.#tell(metadata.name, { phase: "Running", ...this.#runs() });
	}

	async #bind(name: string): Promise<void> {
		const target = { kind: "Node", name: "simulated" };
		const binding = { apiVersion: "v1", kind: "Binding", metadata: { name }, target };
		await this.#client.createPart(this.#of("pods"), name, binding, { part: "binding" });
	}

	#runs(): object {
		const n = ++this.#address;
		const podIP = `10.${64 + ((n >> 16) & 15)}.${(n >> 8) & 255}.${n & 255}`;
		const conditions = ["Initialized", "Ready", "ContainersReady"].map((type) => ({ type, status: "True" }));
		const running = { startedAt: new Date().toISOString() };
		return { podIP, podIPs: [{ ip: podIP }], conditions, containerStatuses: [{ ...container, state: { running } }] };
	}

	async #tell(name: string, status: object): Promise<void> {
		await this.#client.patch(this.#of("pods"), name, { status }, { part: "status" });
	}

	#claimChanged(name: string): void {
		const claim = this.#claims.get(name);
		if (claim?.metadata.deletionTimestamp === undefined || this.#isInUse(name)) return;
		void this.#once(`claim ${name}`, async () => {
			await this.#client.patch(this.#of("persistentvolumeclaims"), name, { metadata: { finalizers: null } });
		});
	}

	#isInUse(claim: string): boolean {
		return this.#pods
			.list()
			.some(({ spec }) => spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === claim));
	}

	/** Does the work unless it is under way; false when it was. A server that is away is asked again. */
	async #once(key: string, work: () => Promise<void>): Promise<boolean> {
		if (this.#atWork.has(key)) return false;
		this.#atWork.add(key);
		try {
			await work();
		} catch (error) {
			if (!this.#ending.signal.aborted && !isOver(error))
				setTimeout(() => this.#podChanged(key.split(" ")[1] ?? ""), 500);
		} finally {
			this.#atWork.delete(key);
		}
		return true;
	}

	#of(plural: string) {
		return { version: "v1", plural, namespace: this.#namespace };
	}
}

function hasEnded({ status }: Pod): boolean {
	return status?.phase === "Succeeded" || status?.phase === "Failed";
}

const container = { name: "session", image: "session:1", imageID: "session:1", ready: true, restartCount: 0 };
const ended = {
	containerStatuses: [{ ...container, ready: false, state: { terminated: { exitCode: 0, reason: "Completed" } } }],
};

function isOver(error: unknown): boolean {
	return error instanceof ApiError && (error.status === 404 || error.status === 409);
}
