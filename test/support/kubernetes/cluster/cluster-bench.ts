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

/** A state of a session as a person reads it. */
interface Read {
	readonly status: Session["status"];
	readonly code: string;
	/** Default: any. */
	readonly message?: RegExp;
	/** The time of `performance.now()` from which the seconds of the row count. */
	readonly since: number;
	/** Default: half a minute. */
	readonly withinMs?: number;
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
	readonly #made = new Set<string>();
	#atFirst: readonly string[] = [];
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
		const bench = new ClusterBench(opening.move(), { cluster, client, lives, api: platform.client() });
		bench.#atFirst = await bench.objects();
		return bench;
	}

	async [Symbol.asyncDispose](): Promise<void> {
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
		this.#made.add(body.id);
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

	/** Resolves when a person reads this of a session, which becomes a row of the table. @param what The name of the row. */
	async reads(
		what: string,
		id: string,
		{ status, code, message = /./, since, withinMs = 30_000 }: Read,
	): Promise<void> {
		let last: Session | undefined;
		const isRead = async () => {
			last = await this.session(id);
			const { status_reason: reason } = last;
			return last.status === status && reason?.code === code && message.test(reason.message);
		};
		const terms = { withinMs, everyMs: 100, what: `"${what}" is ${status} with ${code} and ${String(message)}` };
		await eventually(isRead, terms).catch((error: unknown) => {
			throw new Error(`${String(error)}: ${JSON.stringify([last?.status, last?.status_reason])}`, { cause: error });
		});
		const seconds = ((performance.now() - since) / 1_000).toFixed(1);
		this.#row([what, status, code, `${seconds} s`, last?.status_reason?.message ?? ""]);
	}

	/** Resolves when a session runs. */
	async runs(what: string, id: string, since: number, withinMs?: number): Promise<void> {
		await this.reads(what, id, {
			status: "running",
			code: "POD_READY",
			since,
			...(withinMs !== undefined && { withinMs }),
		});
	}

	#row(cells: readonly string[]): void {
		console.log(`      | ${cells.join(" | ")} |`);
	}

	/** Resolves to the names of all objects of sessions, and of volumes, which belong to no namespace. */
	async objects(): Promise<string[]> {
		const kinds = "pods,serviceaccounts,persistentvolumeclaims,secrets,configmaps,persistentvolumes";
		const listed = await this.cluster.kubectl("--namespace", sessionsNamespace, "get", kinds, "--output", "name");
		return listed.split("\n").filter(Boolean).toSorted();
	}

	/** Deletes all sessions and their workspaces; resolves when the objects are those of the beginning. No session ever had two pods. */
	async leavesNothing(): Promise<void> {
		for (const id of this.#made) await this.api.delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
		this.#made.clear();
		const since = performance.now();
		let left: readonly string[] = [];
		const isGone = async () => (left = await this.objects()).join() === this.#atFirst.join();
		await eventually(isGone, { withinMs: 60_000, everyMs: 500, what: "the objects are as before" }).catch(
			(error: unknown) => expect(left, String(error)).to.deep.equal(this.#atFirst),
		);
		console.log(`      nothing is left ${((performance.now() - since) / 1_000).toFixed(1)} s after the deletion`);
		expect([...this.lives.doubled], "sessions with two pods at once").to.deep.equal([]);
	}
}
