/**
 * Templates as custom resources of a Kubernetes cluster, followed by a watch. They are answered from memory, and the last ones stay
 * while the API of the cluster is away. Which of them are offered stands in their condition `Accepted`.
 */
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { openAccess } from "#shared/kubernetes/api/open-access.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { ConfigError } from "#shared/config/config.ts";
import type { TemplateHost, TemplateList, TemplateSource } from "../template-source.ts";
import { knownNames } from "./kubernetes/known-names.ts";
import { WatchedTemplates } from "./kubernetes/watched-templates.ts";

/** The arguments in the configuration. */
export interface KubernetesTemplatesArguments {
	/** The namespace of the templates; default: that of the platform in k8s/. */
	readonly namespace?: string;
	/** The kubeconfig file outside of a cluster; default: the account of the pod that this process runs in. */
	readonly kubeconfig?: string;
	/** The context of the kubeconfig file; default: its current one. */
	readonly context?: string;
}

const nameForm = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export class KubernetesTemplates implements TemplateSource {
	static readonly kwargs = ["namespace", "kubeconfig", "context"];
	readonly #options: KubernetesTemplatesArguments & TemplateHost;
	readonly #namespace: string;
	#followed: Followed | undefined;

	/** @throws {ConfigError} for a namespace that no cluster can have. */
	constructor(options: KubernetesTemplatesArguments & TemplateHost) {
		const { namespace = "atelier-system" } = options;
		if (!nameForm.test(namespace))
			throw new ConfigError(`Configuration key "templates.kwargs.namespace" has to be the name of a namespace`);
		this.#options = options;
		this.#namespace = namespace;
	}

	/** Begins to follow the templates, and does not wait for the cluster. @throws {ConfigError} when nothing says where it is. */
	async open(): Promise<void> {
		const { metrics, modelsFile, log } = this.#options;
		const api = new ApiClient({ access: await this.#access(), metrics });
		const resource = {
			group: "atelier.dev",
			version: "v1alpha1",
			plural: "sessiontemplates",
			namespace: this.#namespace,
		};
		const templates = new WatchedTemplates({
			source: collectionSource(api, resource),
			write: (name, members, signal) => api.patch(resource, name, members, { part: "status", signal }),
			known: knownNames(modelsFile),
			metrics,
			log,
		});
		const closing = new AbortController();
		this.#followed = { api, templates, closing, run: templates.run(closing.signal) };
	}

	async list(): Promise<TemplateList> {
		return this.#opened().list();
	}

	async check(): Promise<void> {
		await this.#opened().check();
	}

	async close(): Promise<void> {
		if (!this.#followed) return;
		const { api, closing, run } = this.#followed;
		closing.abort();
		await run;
		api.close();
	}

	#opened(): WatchedTemplates {
		if (this.#followed) return this.#followed.templates;
		throw new TypeError("The templates of the cluster are read before they are followed");
	}

	async #access() {
		try {
			return await openAccess(this.#options, "templates.kwargs.kubeconfig");
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			throw new ConfigError(`Cannot follow the templates of the cluster: ${error.message}`, { cause: error });
		}
	}
}

interface Followed {
	readonly api: ApiClient;
	readonly templates: WatchedTemplates;
	readonly closing: AbortController;
	readonly run: Promise<void>;
}
