/**
 * A real cluster of one machine: its API server, controllers, scheduler, kubelet and proxy, with containerd and runc. It runs in the network of
 * the process that starts it, which has to be on a machine of its own (own-machine.ts), and reaches no registry: images are loaded.
 * Nothing enforces network policies, and volumes are folders of the machine. Needs: kubernetes-cluster.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "#shared/base/project-root.ts";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { eventually } from "../../eventually.ts";
import { testProgram } from "../../machine/test-program.ts";
import { addresses, kubeconfigOf, writeClusterFiles } from "./cluster-files.ts";
import { argumentsOfPart, type ClusterPart, clusterParts } from "./cluster-parts.ts";
import { LocalVolumes } from "./local-volumes.ts";
import { makeNodeImage } from "./node-image.ts";
import { ownMachine } from "./own-machine.ts";
import { PartProcesses } from "./part-processes.ts";
import { ServiceNames } from "./service-names.ts";

/** The longest time until a program is ready, and that of a command, which may import an image, in milliseconds. */
const [readyMs, commandMs] = [90_000, 600_000];
const run = promisify(execFile);

export class KubeCluster implements AsyncDisposable {
	readonly #folder: string;
	readonly #parts: PartProcesses<ClusterPart>;
	readonly #all = new AsyncDisposableStack();
	/** The address at which pods reach this machine. */
	readonly address = addresses.machine;

	private constructor(folder: string) {
		this.#folder = folder;
		this.#parts = new PartProcesses(folder);
		this.#all.defer(() => this.#parts.killAll());
	}

	/** Starts it; resolves when pods can run. @throws {Error} outside of a machine of its own. */
	static async start(): Promise<KubeCluster> {
		const machine = ownMachine();
		if (!machine) throw new Error("A cluster runs on a machine of its own only (onOwnMachine)");
		const cluster = new KubeCluster(join(machine.folder, "cluster"));
		try {
			mkdirSync(cluster.#folder);
			writeClusterFiles(cluster.#folder, machine.group);
			await cluster.#start();
			return cluster;
		} catch (error) {
			await cluster[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** The login of its administrator. */
	get kubeconfig(): string {
		return kubeconfigOf(this.#folder, "admin");
	}

	/** Resolves to a client of its administrator, who closes it. */
	async client(): Promise<ApiClient> {
		return new ApiClient({ access: await Kubeconfig.open({ file: this.kubeconfig }) });
	}

	/** Runs kubectl as the administrator; resolves to its output. @throws {Error} with its output when it fails. */
	async kubectl(...args: readonly string[]): Promise<string> {
		const { stdout } = await run(testProgram("kubectl"), [...this.#login, ...args], this.#way);
		return stdout;
	}

	/** The same while nothing else of this process goes on, for tests that cannot wait. */
	kubectlNow(...args: readonly string[]): string {
		return execFileSync(testProgram("kubectl"), [...this.#login, ...args], { ...this.#way, stdio: "pipe" });
	}

	/** Starts kubectl for something that goes on, such as `port-forward`. */
	startKubectl(...args: readonly string[]): ChildProcess {
		return spawn(testProgram("kubectl"), [...this.#login, ...args], {
			...this.#way,
			stdio: ["ignore", "pipe", "pipe"],
		});
	}

	/** Makes objects of the API. @param objects In the form of manifests. */
	async apply(...objects: readonly object[]): Promise<void> {
		const file = join(this.#folder, "applied.json");
		writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
		await this.kubectl("apply", "-f", file);
	}

	/** Makes the namespaces of the platform and of sessions, as an operator does. */
	async makeNamespaces(): Promise<void> {
		await this.kubectl("apply", "-f", join(projectRoot, "k8s/base/namespaces.yaml"));
	}

	/** Gives images to pods. @param archive The path of what `docker save` has written. */
	async load(archive: string): Promise<void> {
		await this.containerd("images", "import", archive);
	}

	/** Runs a command of containerd, which runs the containers; resolves to its output. */
	async containerd(...args: readonly string[]): Promise<string> {
		const words = ["--address", join(this.#folder, "containerd.sock"), "--namespace", "k8s.io", ...args];
		const { stdout } = await run("ctr", words, this.#way);
		return stdout;
	}

	/** Kills the container of a pod, which cannot report a reason. */
	async killContainer(namespace: string, pod: string): Promise<void> {
		const path = "jsonpath={.status.containerStatuses[0].containerID}";
		const id = await this.kubectl("--namespace", namespace, "get", "pod", pod, "--output", path);
		await this.containerd("task", "kill", "--signal", "SIGKILL", id.replace("containerd://", ""));
	}

	/** Ends a program of the cluster as a power cut does. Pods go on. */
	kill(part: ClusterPart): Promise<void> {
		return this.#parts.kill(part);
	}

	/** Sends a signal to a program of the cluster, such as SIGSTOP and SIGCONT. */
	signal(part: ClusterPart, signal: NodeJS.Signals): void {
		this.#parts.signal(part, signal);
	}

	/** Starts a program of the cluster, also again; resolves when it works. */
	async startPart(part: ClusterPart): Promise<void> {
		this.#parts.start(part, argumentsOfPart(part, this.#folder));
		const isReady = async (): Promise<boolean> => {
			if (!this.#parts.isRunning(part)) return true;
			await this.#looks[part]();
			return true;
		};
		await eventually(isReady, { withinMs: readyMs, everyMs: 100, what: `${part} is ready` }).catch((cause: unknown) => {
			throw new Error(`${part} is not ready:\n${this.#parts.lastWords(part)}`, { cause });
		});
		if (!this.#parts.isRunning(part)) throw new Error(`${part} has ended:\n${this.#parts.lastWords(part)}`);
	}

	/** Ends its programs. Containers, mounts, files and control groups end with the machine. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}

	async #start(): Promise<void> {
		this.#makeNetwork();
		for (const part of clusterParts) {
			await this.startPart(part);
			if (part === "containerd") await this.#loadFirstImage();
		}
		const client = await this.client();
		this.#all.defer(() => client.close());
		const volumes = join(this.#folder, "volumes");
		this.#all.use(new LocalVolumes(client, volumes));
		this.#all.use(await ServiceNames.listen(client, this.address));
		const isReady = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
		const what = "the machine is ready";
		const nodeIsReady = async () => (await this.kubectl("get", "node", "node1", "--output", isReady)) === "True";
		await eventually(nodeIsReady, { withinMs: readyMs, everyMs: 200, what });
	}

	#makeNetwork(): void {
		const ip = (...words: string[]) => execFileSync("ip", words);
		ip("link", "add", "node0", "type", "bridge");
		ip("addr", "add", addresses.machineNetwork, "dev", "node0");
		ip("link", "set", "node0", "up");
		ip("route", "add", "default", "via", addresses.router);
		writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
	}

	async #loadFirstImage(): Promise<void> {
		const folder = join(this.#folder, "image");
		mkdirSync(folder);
		await this.load(makeNodeImage(folder));
	}

	get #login(): string[] {
		return ["--kubeconfig", this.kubeconfig, "--cache-dir", join(this.#folder, "kubectl")];
	}

	get #way() {
		return { encoding: "utf8", timeout: commandMs, maxBuffer: 1e8, env: { PATH: process.env["PATH"] } } as const;
	}

	/** Each throws until its program works. */
	readonly #looks: Readonly<Record<ClusterPart, () => Promise<unknown>>> = {
		etcd: () => answers("http://127.0.0.1:2379/health"),
		"kube-apiserver": () => this.kubectl("get", "--raw", "/readyz"),
		containerd: () => this.containerd("version"),
		"kube-controller-manager": () => this.kubectl("get", "serviceaccount", "default"),
		"kube-scheduler": async () => {},
		kubelet: () => answers("http://127.0.0.1:10248/healthz"),
		"kube-proxy": () => answers("http://127.0.0.1:10256/livez"),
	};
}

/** @throws {Error} unless the URL is answered with 200. */
async function answers(url: string): Promise<void> {
	const { status } = await fetch(url);
	if (status !== 200) throw new Error(`${url} is answered with ${status}`);
}
