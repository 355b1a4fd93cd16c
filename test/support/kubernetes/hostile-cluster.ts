/** A real API server in which somebody may write what they like beside the sessions of an installation. Nothing runs its pods. */
import { BlockList } from "node:net";
import { KubernetesRuntime } from "#services/pod-manager/pod-runtimes/kubernetes.ts";
import { label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { SessionObjects } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { CallPace } from "#shared/kubernetes/api/call-pace.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { Resource } from "#shared/kubernetes/api/resource.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { KubeServer } from "./kube-server.ts";
import { podPlan } from "./pods/pod-plan.ts";

const atATime = 16;

export class HostileCluster implements AsyncDisposable {
	readonly server: KubeServer;
	/** The client of somebody who may write everything, as fast as the server takes it. */
	readonly other: ApiClient;
	/** The client of the platform. */
	readonly own: ApiClient;
	readonly objects: SessionObjects;
	readonly runtime: KubernetesRuntime;
	readonly installation = podPlan().installation;

	private constructor(server: KubeServer, other: ApiClient, own: ApiClient) {
		this.server = server;
		this.other = other;
		this.own = own;
		this.objects = new SessionObjects(own, "sessions", this.installation);
		this.runtime = new KubernetesRuntime({
			dataDir: "/nowhere",
			installation: this.installation,
			markKey: "0".repeat(32),
			refusedNetworks: new BlockList(),
			metrics: new Metrics(),
			platformUrl: () => "http://127.0.0.1:9/api/v1/svc",
			launches: { specOf: async () => undefined, existingOf: async (ids) => ids },
			models: { accessOf: () => undefined, modelOf: async () => "", podToken: () => "none" },
			namespace: "sessions",
			kubeconfig: server.kubeconfig(),
		});
	}

	static async start(): Promise<HostileCluster> {
		const server = await KubeServer.start();
		const access = await Kubeconfig.open({ file: server.kubeconfig() });
		const other = new ApiClient({ access, pace: new CallPace({ perSecond: 5_000, burst: 5_000 }) });
		return new HostileCluster(server, other, await server.client());
	}

	resource(plural: string): Resource {
		return { version: "v1", plural, namespace: "sessions" };
	}

	/** Returns the metadata of an object with the label of the installation. */
	marked(name: string, labels: Readonly<Record<string, string>> = {}) {
		return { name, labels: { [label.installation]: this.installation, ...labels } };
	}

	/** Makes many objects as somebody else. */
	async make(plural: string, objects: Iterable<KubeObject>): Promise<void> {
		await this.#each(objects, (object) => this.other.create(this.resource(plural), object));
	}

	/** Removes all objects of a kind that have the label of the installation, whatever keeps them. */
	async clear(plural: string): Promise<void> {
		const resource = this.resource(plural);
		const names = await this.other.listNames(resource, { labelSelector: this.objects.selector });
		await this.#each(names, async (name) => {
			if (plural !== "serviceaccounts") await this.other.patch(resource, name, { metadata: { finalizers: null } });
			await this.other.delete(resource, name, { graceSeconds: 0 });
		});
	}

	/** Writes the status of a pod, as a kubelet does. */
	async tell(pod: string, status: object): Promise<void> {
		await this.other.patch(this.resource("pods"), pod, { status }, { part: "status" });
	}

	/** Takes the step for each of them, some at a time. */
	async #each<T>(all: Iterable<T>, step: (one: T) => Promise<unknown>): Promise<void> {
		const rest = Iterator.from(all);
		const takeSome = async () => {
			for (const one of rest) await step(one);
		};
		await Promise.all(Array.from({ length: atATime }, takeSome));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.runtime.close();
		this.other.close();
		this.own.close();
		await this.server[Symbol.asyncDispose]();
	}
}
