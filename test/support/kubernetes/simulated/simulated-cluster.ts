/**
 * A real API server of Kubernetes whose pods run without containers. The pod manager has the rights that it has in an installation
 * (k8s/base/rights.yaml), and its calls are logged.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { CallPace } from "#shared/kubernetes/api/call-pace.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { KubeServer, type KubeServerOptions } from "../kube-server.ts";
import { SimulatedMachines } from "./simulated-machines.ts";

/** The namespace of sessions. */
export const sessionsNamespace = "atelier-sessions";

const managerToken = "token-of-the-pod-manager";
const managerName = "system:serviceaccount:atelier-system:pod-manager";
const kinds = ["pods", "serviceaccounts", "persistentvolumeclaims"] as const;

/** Starts what makes pods run; its disposal ends it. */
export type StartMachines = (server: KubeServer, admin: ApiClient) => Promise<AsyncDisposable>;

export interface SimulatedClusterOptions extends Pick<KubeServerOptions, "compaction"> {
	/** Default: machines in this process, which need no scheduler and no controller. */
	readonly machines?: StartMachines;
}

export class SimulatedCluster implements AsyncDisposable {
	readonly server: KubeServer;
	/** The client of its administrator, which nothing slows. */
	readonly admin: ApiClient;
	readonly #resources: AsyncDisposableStack;

	private constructor(server: KubeServer, admin: ApiClient, resources: AsyncDisposableStack) {
		this.server = server;
		this.admin = admin;
		this.#resources = resources;
	}

	static async start({ machines = ownMachines, ...options }: SimulatedClusterOptions = {}): Promise<SimulatedCluster> {
		await using prepared = new AsyncDisposableStack();
		const users = [`${managerToken},${managerName},3,"system:serviceaccounts,system:authenticated"`];
		const server = prepared.use(await KubeServer.start({ ...options, users, audited: managerName }));
		const pace = new CallPace({ perSecond: 5_000, burst: 5_000 });
		const admin = prepared.adopt(await server.client(undefined, pace), (client) => client.close());
		await makeObjects(admin);
		prepared.use(await machines(server, admin));
		return new SimulatedCluster(server, admin, prepared.move());
	}

	/** Returns the kubeconfig of the pod manager. @param port The port of a proxy before the API server. */
	managerKubeconfig(port?: number): string {
		return this.server.kubeconfig(managerToken, port);
	}

	/** Returns the names of the objects of sessions, by their kinds. */
	async sessionObjects(): Promise<Readonly<Record<(typeof kinds)[number], readonly string[]>>> {
		const names = await Promise.all(kinds.map((plural) => this.#namesOf(plural)));
		const [pods = [], serviceaccounts = [], persistentvolumeclaims = []] = names;
		return { pods, serviceaccounts, persistentvolumeclaims };
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#resources.disposeAsync();
	}

	async #namesOf(plural: string): Promise<string[]> {
		const collection = { version: "v1", plural, namespace: sessionsNamespace };
		const { items } = await this.admin.list(collection, ({ metadata }) => metadata.name);
		return items.filter((name) => name !== "default").toSorted();
	}
}

async function ownMachines(_server: KubeServer, admin: ApiClient): Promise<AsyncDisposable> {
	return new SimulatedMachines(admin, sessionsNamespace);
}

interface RightObject extends KubeObject {
	readonly kind: string;
}

async function makeObjects(admin: ApiClient): Promise<void> {
	for (const name of [sessionsNamespace, "atelier-system"])
		await admin.create({ version: "v1", plural: "namespaces" }, { kind: "Namespace", metadata: { name } });
	const rights = parseAllDocuments(readFileSync(join(projectRoot, "k8s/base/rights.yaml"), "utf8"));
	for (const document of rights) {
		const right: RightObject = document.toJS();
		const { namespace } = right.metadata;
		const group = { group: "rbac.authorization.k8s.io", version: "v1", plural: `${right.kind.toLowerCase()}s` };
		await admin.create(namespace === undefined ? group : { ...group, namespace }, right);
	}
}
