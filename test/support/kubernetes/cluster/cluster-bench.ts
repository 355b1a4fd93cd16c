/** A real cluster with a platform beside it whose sessions are pods, for tests of what a person reads while something is wrong. */
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient as ClusterClient } from "#shared/kubernetes/api/api-client.ts";
import type { ApiClient } from "../../clients/api-client.ts";
import { eventually } from "../../eventually.ts";
import { PodLives } from "../simulated/pod-lives.ts";
import { clusterImage, savedImages } from "./cluster-images.ts";
import { sessionsNamespace, startClusteredPlatform } from "./clustered-platform.ts";
import { deriveImage } from "./derived-image.ts";
import { KubeCluster } from "./kube-cluster.ts";
import { MachineRelay } from "./machine-relay.ts";

/** Settings of a session that only a preset can have, and those of the request. */
interface Wanted {
	readonly workload_config?: object;
	readonly resource_config?: object;
}

/** A state of a session as a person reads it, and the seconds until then. */
export interface Seen {
	readonly status: string;
	readonly code: string;
	readonly message: string;
	readonly seconds: number;
}

interface BenchOptions {
	/** Further arguments of the runtime. */
	readonly kwargs?: Record<string, unknown>;
	/** A file that takes the place of the program which brings the session agent into images of somebody else. */
	readonly deliverer?: string;
}

export class ClusterBench implements AsyncDisposable {
	readonly #all: AsyncDisposableStack;
	readonly cluster: KubeCluster;
	readonly client: ClusterClient;
	readonly api: ApiClient;
	readonly lives: PodLives;
	readonly #rows: string[] = [];
	#presets = 0;

	private constructor(
		all: AsyncDisposableStack,
		{ cluster, client, api, lives }: Pick<ClusterBench, "cluster" | "client" | "api" | "lives">,
	) {
		this.#all = all;
		this.cluster = cluster;
		this.client = client;
		this.api = api;
		this.lives = lives;
	}

	static async start({ kwargs = {}, deliverer }: BenchOptions = {}): Promise<ClusterBench> {
		await using opening = new AsyncDisposableStack();
		const cluster = opening.use(await KubeCluster.start());
		await cluster.makeNamespaces();
		for (const archive of await savedImages("session")) await cluster.load(archive);
		const image =
			deliverer === undefined
				? clusterImage.session
				: await deriveImage(cluster, clusterImage.session, {
						name: "docker.io/atelier/session:changed",
						file: [deliverer, "opt/atelier/agent/deliver.ts"],
						env: {},
					});
		const client = await cluster.client();
		opening.defer(() => client.close());
		const lives = opening.use(new PodLives(client));
		const relay = opening.use(new MachineRelay(cluster.address));
		const { kubeconfig } = cluster;
		const platform = opening.use(await startClusteredPlatform({ kubeconfig, client, relay, image }, {}, kwargs));
		return new ClusterBench(opening.move(), { cluster, client, lives, api: platform.client() });
	}

	/** Prints the rows, and ends everything. */
	async [Symbol.asyncDispose](): Promise<void> {
		console.log(this.#rows.join("\n"));
		await this.#all.disposeAsync();
	}

	async create({ workload_config, resource_config }: Wanted = {}): Promise<string> {
		const preset = workload_config && (await this.#preset(workload_config));
		const { body, text } = await this.api.post<Session>("/sessions", {
			name: "wanted",
			agent: "builtin",
			source: { type: "git", repo: "" },
			...(preset !== undefined && { preset_id: preset }),
			...(resource_config && { resource_config }),
		});
		expect(body.id, text).to.be.a("string");
		return body.id;
	}

	async #preset(workload_config: object): Promise<string> {
		const name = `settings ${++this.#presets}`;
		const { body, text } = await this.api.post<{ id: string }>("/presets", { name, workload_config });
		expect(body.id, text).to.be.a("string");
		return body.id;
	}

	async session(id: string): Promise<Session> {
		return (await this.api.get<Session>(`/sessions/${id}`)).body;
	}

	/**
	 * Resolves to the first state of a session that has one of the codes.
	 * @param since The time of `performance.now()` from which the seconds count.
	 */
	async seen(id: string, codes: readonly string[], since: number, withinMs = 60_000): Promise<Seen> {
		let last: Session | undefined;
		const read = async (): Promise<Seen | false> => {
			last = await this.session(id);
			const { status, status_reason: reason } = last;
			const seconds = Math.round((performance.now() - since) / 100) / 10;
			return (
				codes.includes(reason?.code ?? "") && { status, code: reason?.code ?? "", message: reason?.message ?? "", seconds }
			);
		};
		const terms = { withinMs, everyMs: 100, what: `session ${id} has one of ${codes.join(", ")}` };
		return eventually(read, terms).catch((error: unknown) => {
			throw new Error(`${String(error)}; it has ${JSON.stringify([last?.status, last?.status_reason])}`);
		});
	}

	/** Keeps a row of the table that is printed at the end. */
	row(what: string, { status, code, message, seconds }: Seen): void {
		this.#rows.push(`      | ${[what, status, code, `${seconds} s`, message].join(" | ")} |`);
	}

	/** Resolves to the names of all objects of sessions, and of volumes, which belong to no namespace. */
	async objects(): Promise<string[]> {
		const kinds = "pods,serviceaccounts,persistentvolumeclaims,secrets,configmaps,persistentvolumes";
		const listed = await this.cluster.kubectl("--namespace", sessionsNamespace, "get", kinds, "--output", "name");
		return listed.split("\n").filter(Boolean).toSorted();
	}

	/** Deletes sessions and their workspaces; resolves when only these objects are there, and nobody had two pods. */
	async leavesOnly(before: readonly string[], ...ids: readonly string[]): Promise<void> {
		for (const id of ids) await this.api.delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
		let left: readonly string[] = [];
		const isGone = async () => (left = await this.objects()).join() === before.join();
		await eventually(isGone, { withinMs: 100_000, everyMs: 500, what: "the objects are as before" }).catch(
			(error: unknown) => expect(left, String(error)).to.deep.equal(before),
		);
		expect([...this.lives.doubled], "sessions with two pods at once").to.deep.equal([]);
	}
}
