/** A real API server with the namespaces, rights and accounts of the platform. Nothing schedules or runs pods there. */
import { expect } from "chai";
import type { Deployed } from "./deployed-objects.ts";
import { KubeRequests } from "./kube-requests.ts";
import { KubeServer } from "./kube-server.ts";
import { collectionPath, objectPath } from "./object-paths.ts";

/** The kinds of which the server itself needs something, so that they are made before the others. */
const first = ["Namespace", "CustomResourceDefinition", "PriorityClass"];
const rights = ["ServiceAccount", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

export class PlatformCluster implements AsyncDisposable {
	readonly server: KubeServer;
	/** Everything may be asked as the administrator. */
	readonly admin: KubeRequests;

	private constructor(server: KubeServer) {
		this.server = server;
		this.admin = new KubeRequests(server.kubeconfig());
	}

	/** Starts it with the namespaces, priorities, kinds, accounts and rights among the objects. */
	static async start(objects: readonly Deployed[]): Promise<PlatformCluster> {
		const cluster = new PlatformCluster(await KubeServer.start());
		try {
			const ordered = [...first, ...rights].flatMap((kind) => objects.filter((object) => object.kind === kind));
			for (const object of ordered) await cluster.create(object);
			return cluster;
		} catch (error) {
			await cluster[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Makes an object. An account of each namespace is made by no controller here. */
	async create(object: Deployed): Promise<void> {
		const path = `${collectionPath(object, object.metadata.namespace)}?fieldValidation=Strict`;
		const { status, body } = await this.admin.send({ method: "POST", path, body: object });
		expect(status, `${object.kind} ${object.metadata.name}: ${body.message}`).to.equal(201);
	}

	/** Returns what the server finds wrong with an object when it is applied; undefined: nothing. */
	async faultOf(object: Deployed): Promise<string | undefined> {
		const path = `${objectPath(object)}?dryRun=All&fieldManager=tests&force=true&fieldValidation=Strict`;
		const form = "application/apply-patch+yaml";
		const { status, body } = await this.admin.send({ method: "PATCH", path, body: object, form });
		return status === 200 || status === 201
			? undefined
			: `${object.kind} ${object.metadata.name}: ${status} ${body.message}`;
	}

	/** Returns the path of a kubeconfig of an account. */
	async kubeconfigOf(namespace: string, account: string): Promise<string> {
		const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3_600 } };
		const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
		const { status, body: made } = await this.admin.send({ method: "POST", path, body });
		expect(status, made.message).to.equal(201);
		return this.server.kubeconfig((made["status"] as { token: string }).token);
	}

	async requestsOf(namespace: string, account: string): Promise<KubeRequests> {
		return new KubeRequests(await this.kubeconfigOf(namespace, account));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.server[Symbol.asyncDispose]();
	}
}
