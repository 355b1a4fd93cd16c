/** A real API server with the component `templates`, as the account of the process that offers templates sees it. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { eventually } from "../eventually.ts";
import type { Deployed } from "./deployed-objects.ts";
import { type KubeAnswer, KubeRequests } from "./kube-requests.ts";
import { KubeServer } from "./kube-server.ts";
import { collectionPath } from "./object-paths.ts";

export const namespace = "atelier-system";
export const templateResource = {
	group: "atelier.dev",
	version: "v1alpha1",
	plural: "sessiontemplates",
	namespace,
} as const;
const collection = `/apis/atelier.dev/v1alpha1/namespaces/${namespace}/sessiontemplates`;

export interface TemplateOfCluster extends KubeObject {
	readonly spec: Readonly<Record<string, unknown>>;
	readonly status?: {
		readonly observedGeneration?: number;
		readonly conditions?: readonly Readonly<Record<string, unknown>>[];
	};
}

/** Returns the objects of a file of the component. */
function componentObjects(file: string): Deployed[] {
	const text = readFileSync(join(projectRoot, "k8s/components/templates", file), "utf8");
	return parseAllDocuments(text).map((document) => document.toJS() as Deployed);
}

export class TemplatesCluster implements AsyncDisposable {
	readonly server: KubeServer;
	readonly admin: ApiClient;
	readonly requests: KubeRequests;

	private constructor(server: KubeServer, admin: ApiClient) {
		this.server = server;
		this.admin = admin;
		this.requests = new KubeRequests(server.kubeconfig());
	}

	/** Starts it; resolves when templates can be made. */
	static async start(): Promise<TemplatesCluster> {
		const server = await KubeServer.start();
		const cluster = new TemplatesCluster(server, await server.client());
		try {
			await cluster.#deploy();
			return cluster;
		} catch (error) {
			await cluster[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Returns the path of a kubeconfig of an account in the namespace of the platform. */
	async kubeconfigOf(account = "core"): Promise<string> {
		const accounts = { version: "v1", plural: "serviceaccounts", namespace };
		const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3_600 } };
		const answer = await this.admin.createPart<{ status: { token: string } }>(accounts, account, body, {
			part: "token",
		});
		return this.server.kubeconfig(answer.status.token);
	}

	/** Makes a template, or changes it. */
	async write(name: string, spec: object): Promise<TemplateOfCluster> {
		const object = { apiVersion: "atelier.dev/v1alpha1", kind: "SessionTemplate", metadata: { name }, spec };
		const path = `${collection}/${name}?fieldManager=tests&force=true&fieldValidation=Strict`;
		const answer = await this.requests.send({
			method: "PATCH",
			path,
			body: object,
			form: "application/apply-patch+yaml",
		});
		expect(answer.status, answer.body.message).to.be.within(200, 201);
		return answer.body as unknown as TemplateOfCluster;
	}

	/** Tries to make a template. */
	tryToWrite(name: string, spec: object): Promise<KubeAnswer> {
		const body = { apiVersion: "atelier.dev/v1alpha1", kind: "SessionTemplate", metadata: { name }, spec };
		return this.requests.send({ method: "POST", path: `${collection}?fieldValidation=Strict`, body });
	}

	async remove(name: string): Promise<void> {
		await this.admin.delete(templateResource, name, {});
	}

	/** Removes all templates. */
	async clear(): Promise<void> {
		expect((await this.requests.send({ method: "DELETE", path: collection })).status).to.equal(200);
	}

	read(name: string): Promise<TemplateOfCluster> {
		return this.admin.get<TemplateOfCluster>(templateResource, name);
	}

	/** Returns the condition `Accepted` of a template as a line: status, reason, message; undefined: it has none for its present form. */
	async told(name: string): Promise<string | undefined> {
		const { metadata, status: { observedGeneration, conditions = [] } = {} } = await this.read(name);
		const found = conditions.find(({ type }) => type === "Accepted");
		const generation = "generation" in metadata ? metadata.generation : undefined;
		if (!found || observedGeneration !== generation || found["observedGeneration"] !== generation) return undefined;
		return `${String(found["status"])} ${String(found["reason"])}: ${String(found["message"])}`;
	}

	/** Starts the API server again; it answers before it knows the custom resources. */
	async startApi(): Promise<void> {
		await this.server.startApi();
		await this.#offered();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.admin.close();
		await this.server[Symbol.asyncDispose]();
	}

	async #deploy(): Promise<void> {
		const account = { apiVersion: "v1", kind: "ServiceAccount" };
		const objects: Deployed[] = [
			{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
			{ ...account, metadata: { name: "core", namespace } },
			{ ...account, metadata: { name: "default", namespace } },
			...componentObjects("session-template.yaml"),
			...componentObjects("rights.yaml"),
		];
		for (const object of objects) {
			const path = `${collectionPath(object, object.metadata.namespace)}?fieldValidation=Strict`;
			const { status, body } = await this.requests.send({ method: "POST", path, body: object });
			expect(status, body.message).to.equal(201);
		}
		await this.#offered();
	}

	async #offered(): Promise<void> {
		const isThere = async () => (await this.requests.send({ method: "GET", path: collection })).status === 200;
		await eventually(isThere, { withinMs: 60_000, what: "the API offers templates" });
	}
}
