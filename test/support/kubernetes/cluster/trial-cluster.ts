/** Atelier itself in a real cluster, by the overlay for trying out or one that is made from it; its gateway is reached by `kubectl port-forward`. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parse, stringify } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../eventually.ts";
import { savedImages } from "./cluster-images.ts";
import { sessionsNamespace } from "./clustered-platform.ts";
import { KubeCluster } from "./kube-cluster.ts";
import { ownMachine } from "./own-machine.ts";

const system = "atelier-system";
const port = 8_080;
const overlay = join(projectRoot, "k8s/overlays/trial");

/** The changes that an operator makes in a copy of the overlay. */
export interface TrialChanges {
	/** Keys of `atelier.yaml` that take the place of those of the overlay. */
	readonly config: Readonly<Record<string, unknown>>;
	/** Further variables of the environment of every process. */
	readonly env: Readonly<Record<string, string>>;
	/** The paths of files that every process has in the folder `/config`. */
	readonly files: readonly string[];
}

export class TrialCluster implements AsyncDisposable {
	readonly cluster: KubeCluster;
	readonly url = `http://127.0.0.1:${port}`;
	/** The token of the administrator, where the identity is that of the overlay. */
	readonly token = randomBytes(32).toString("hex");
	readonly installationKey = randomBytes(32).toString("base64url");
	readonly #all = new AsyncDisposableStack();
	#forwarding: ChildProcess | undefined;

	private constructor(cluster: KubeCluster) {
		this.cluster = this.#all.use(cluster);
	}

	/** Resolves when the gateway is ready. @param changesFor Resolves to changes of the overlay for the cluster; default: none. */
	static async start(changesFor?: (cluster: KubeCluster) => Promise<TrialChanges>): Promise<TrialCluster> {
		const trial = new TrialCluster(await KubeCluster.start());
		try {
			for (const archive of await savedImages("session", "platform", "nats")) await trial.cluster.load(archive);
			await trial.#install(changesFor ? changedOverlay(await changesFor(trial.cluster)) : overlay);
			await trial.forward();
			return trial;
		} catch (error) {
			await trial[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Resolves to the names of the pods of sessions, one on each line. */
	podNames(): Promise<string> {
		return this.cluster.kubectl("--namespace", sessionsNamespace, "get", "pods", "--output", "name");
	}

	/** Makes the gateway reachable on loopback, also again: a connection ends with the pod of the gateway. */
	async forward(): Promise<void> {
		this.#forwarding?.kill();
		this.#forwarding = this.cluster.startKubectl(
			"--namespace",
			system,
			"port-forward",
			"service/gateway",
			`${port}:8080`,
		);
		const isThere = async () => (await fetch(`${this.url}/ready`)).status === 200;
		await eventually(isThere, { withinMs: 30_000, everyMs: 200, what: "the gateway is ready" });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#forwarding?.kill();
		await this.#all.disposeAsync();
	}

	async #install(folder: string): Promise<void> {
		await this.cluster.makeNamespaces();
		const literals = [
			`--from-literal=ATELIER_TOKEN=${this.token}`,
			`--from-literal=ATELIER_INSTALLATION_KEY=${this.installationKey}`,
		];
		await this.cluster.kubectl("--namespace", system, "create", "secret", "generic", "atelier", ...literals);
		await this.cluster.kubectl("apply", "-k", folder);
		const words = ["wait", "--for=condition=Available", "deployment", "--all", "--timeout=5s"];
		const isAvailable = async () => (await this.cluster.kubectl("--namespace", system, ...words)) !== "";
		await eventually(isAvailable, { withinMs: 180_000, everyMs: 500, what: "all deployments are available" });
	}
}

/** Writes an overlay beside the cluster's files; returns its folder. */
function changedOverlay({ config, env, files }: TrialChanges): string {
	const folder = join(ownMachine()?.folder ?? "", "overlay");
	mkdirSync(folder);
	const own = parse(readFileSync(join(overlay, "atelier.yaml"), "utf8")) as Record<string, unknown>;
	writeFileSync(join(folder, "atelier.yaml"), stringify({ ...own, ...config }));
	for (const file of files) cpSync(file, join(folder, basename(file)));
	const names = ["atelier.yaml", ...files.map((file) => basename(file))];
	const literals = Object.entries(env).map(([name, value]) => `${name}=${value}`);
	const kustomization = {
		apiVersion: "kustomize.config.k8s.io/v1beta1",
		kind: "Kustomization",
		resources: [relative(folder, overlay)],
		configMapGenerator: [
			{ name: "atelier-config", namespace: system, behavior: "replace", files: names },
			{ name: "atelier", namespace: system, behavior: "merge", literals },
		],
	};
	writeFileSync(join(folder, "kustomization.yaml"), stringify(kustomization));
	return folder;
}
