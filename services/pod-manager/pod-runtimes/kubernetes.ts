/**
 * Runs each session in a pod of its own in a Kubernetes cluster. The pod is the only record of a launch: its name lets the cluster
 * keep only one, its finalizer keeps it until the reason of its end was read, and what its agent reports is an annotation of it.
 * A pod is made without secrets, and asks for its launch at the door (kubernetes/door/launch-desk.ts).
 */
import type { Server } from "node:http";
import { failpoint } from "#shared/base/failpoints.ts";
import { monotonic, sleep } from "#shared/base/clock.ts";
import { launchOfToken } from "#shared/base/secrets/pod-token.ts";
import {
	type Inventory,
	isAlive,
	type MeasuredFiles,
	type Pod,
	type PodRuntime,
	type PodSpec,
} from "../pod-runtime.ts";
import { isThere } from "./launches/launched-pods.ts";
import type { Launch } from "./launches/launch.ts";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { openAccess } from "#shared/kubernetes/api/open-access.ts";
import { clusterDoor } from "./kubernetes/door/cluster-door.ts";
import { clusterInventory } from "./kubernetes/cluster-inventory.ts";
import { DoorTroubles } from "./kubernetes/door/door-troubles.ts";
import { ClusterPods } from "./kubernetes/cluster-pods.ts";
import { refuse } from "./kubernetes/create-refusals.ts";
import {
	type KubernetesOptions,
	type KubernetesSettings,
	kubernetesSettings,
} from "./kubernetes/kubernetes-options.ts";
import { LaunchDesk } from "./kubernetes/door/launch-desk.ts";
import { offeredImage, offeredPlacement } from "./kubernetes/objects/offers.ts";
import { launchProofs } from "./kubernetes/objects/launch-proof.ts";
import type { PodPlan } from "./kubernetes/objects/pod-manifest.ts";
import { objectName } from "./kubernetes/objects/cluster-names.ts";
import { podResources } from "./kubernetes/objects/pod-resources.ts";
import { SessionObjects } from "./kubernetes/objects/session-objects.ts";
import { StatusReports } from "./kubernetes/door/status-reports.ts";
import { reviewToken } from "./kubernetes/door/token-reviews.ts";
import { VolumeSizes } from "./kubernetes/objects/volume-sizes.ts";
import { WatchedPods } from "./kubernetes/watched-pods.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { listen } from "#shared/net/sockets/listen.ts";

/** The time beyond the agent's own in which a pod ends, in seconds. */
const extraSeconds = 10;
/** How long the removal of a volume is waited for, and the pause between looks, in milliseconds. */
const [removedMs, lookMs] = [5_000, 250];

/** The runtime of one process. Pods outlive it; another process finds them again. */
export class KubernetesRuntime implements PodRuntime {
	static readonly typedKwargs = [
		"door_port",
		"user",
		"memory_mb",
		"max_memory_mb",
		"processors",
		"max_processors",
		"processor_share",
		"disk_mb",
		"max_disk_mb",
		"max_gpus",
		"images",
		"own_images",
		"variables",
		"placements",
	];
	static readonly kwargs = [
		"namespace",
		"image",
		"door_url",
		"platform_origin",
		"kubeconfig",
		"context",
		"access_mode",
		"egress",
		...KubernetesRuntime.typedKwargs,
	];

	readonly isolation = "container";
	readonly hasHostFiles = false;
	readonly #options: KubernetesOptions;
	readonly #settings: KubernetesSettings;
	#connected: Promise<Cluster> | undefined;
	readonly #doors: Server[] = [];
	readonly #doorTroubles = new DoorTroubles();
	/** Aborts what this process follows. */
	readonly #closing = new AbortController();
	#following: Promise<void> | undefined;

	/** @throws {ConfigError} for an argument that cannot be used. */
	constructor(options: KubernetesOptions) {
		this.#options = options;
		this.#settings = kubernetesSettings(options);
	}

	async open(): Promise<readonly string[]> {
		const { api, objects, pods } = await this.#cluster();
		const { doorPort, doorUrl, platformOrigin } = this.#settings;
		const { installation, launches, models } = this.#options;
		const desk = new LaunchDesk({
			installation,
			launches,
			places: { doorUrl, platformOrigin },
			review: (token) => reviewToken(api, token),
			podNow: (name) => objects.podNow(name),
		});
		const reports = new StatusReports({
			podToken: models.podToken,
			podOf: (launch) => pods.objectOf(launch),
			keep: (pod, status, ending) => objects.keepStatus(pod, status, ending),
			keepSize: (workspaceId, size, ending) => objects.keepSize(workspaceId, size, ending),
		});
		const door = clusterDoor({
			launch: (token, earlier) => desk.launch(token, earlier),
			report: (token, status, ending) => reports.take(token, status, ending),
			isOfLaunch: (token) => launchOfToken(token, models.podToken) !== undefined,
			failed: (question, error) => this.#doorTroubles.add(question, error),
		});
		await listen(door, { port: doorPort, host: "0.0.0.0" });
		this.#doors.push(door);
		return [keysInPods];
	}

	async close(): Promise<void> {
		this.#closing.abort();
		await this.#following;
		for (const door of this.#doors.splice(0)) {
			door.close();
			door.closeAllConnections();
		}
		(await this.#connected?.catch(() => undefined))?.api.close();
	}

	async inventory(): Promise<Inventory> {
		const found = await clusterInventory(await this.#cluster());
		return { ...found, troubles: [...found.troubles, ...this.#doorTroubles.sentences] };
	}

	async find(sessionId: string, signal?: AbortSignal, generation?: number): Promise<Pod[]> {
		const { pods } = await this.#cluster();
		return pods.ofSession({ sessionId, generation }, signal).catch((error: unknown) => refuse(error, signal));
	}

	/** Starts the pod. @throws {Error} when a pod of another launch lives: two must never share a workspace. */
	async create(spec: PodSpec, signal?: AbortSignal): Promise<void> {
		const { objects, pods } = await this.#cluster();
		const launch = { sessionId: spec.session_id, generation: spec.generation };
		try {
			const present = (await pods.foundNow(launch.sessionId, signal)).map(({ pod }) => pod);
			if (isThere(present, launch)) return;
			failpoint("kubernetes.before-create");
			pods.changing(signal);
			await objects.make(this.#planOf(launch, spec), signal);
			failpoint("kubernetes.after-create");
		} catch (error) {
			refuse(error, signal);
		}
	}

	async end(pod: Pod, graceMs: number, signal?: AbortSignal): Promise<void> {
		const { objects, pods } = await this.#cluster();
		const object = await pods.objectOf(pod);
		pods.changing(signal);
		if (object && isAlive(pod))
			await inTime(objects.end(object, Math.ceil(graceMs / 1_000) + extraSeconds, signal), signal);
	}

	forget(pod: Pod, signal?: AbortSignal): Promise<void> {
		return inTime(this.#forget(pod, signal), signal);
	}

	async #forget(pod: Pod, signal: AbortSignal | undefined): Promise<void> {
		const { objects, pods } = await this.#cluster();
		const present = (await pods.foundNow(pod.sessionId, signal)).find((found) => found.pod.name === pod.name);
		if (present && isAlive(present.pod)) throw new Error(`Cannot forget "${pod.name}", which lives`);
		pods.changing(signal);
		if (!present) return objects.removeAccount(pod.name, signal);
		await objects.forget(present.object, signal);
		pods.removed(present.object);
	}

	purge(sessionId: string, signal?: AbortSignal): Promise<void> {
		return inTime(this.#purge(sessionId, signal), signal);
	}

	async #purge(sessionId: string, signal: AbortSignal | undefined): Promise<void> {
		const { objects, pods } = await this.#cluster();
		const found = await pods.foundNow(sessionId, signal);
		const living = found.find(({ pod }) => isAlive(pod));
		if (living) throw new Error(`Cannot purge session "${sessionId}": "${living.pod.name}" still lives`);
		for (const { object } of found) {
			await objects.forget(object, signal);
			pods.removed(object);
		}
		const launches = await objects.launches(sessionId, signal);
		for (const launch of launches) await objects.removeAccount(objectName(launch), signal);
	}

	/** @throws {Error} while the volume is still listed: its record must outlive it. */
	async removeWorkspace(workspaceId: string): Promise<void> {
		const { objects, sizes } = await this.#cluster();
		sizes.forget(workspaceId);
		for (const until = monotonic() + removedMs; ; await sleep(lookMs)) {
			const claim = await objects.volumeClaim(workspaceId);
			if (!claim) return;
			if (!claim.isEnding) await objects.removeVolumeClaim(claim);
			else if (monotonic() > until) throw new Error("The cluster has not removed the volume yet");
		}
	}

	/** Returns what the last session in the volume has counted, or the size of a volume in which nothing was counted. */
	async measureWorkspace(workspaceId: string): Promise<MeasuredFiles> {
		const { sizes } = await this.#cluster();
		return sizes.sizeOf(workspaceId);
	}

	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void {
		void this.#cluster().then(
			({ watched }) => {
				watched.tell(onChange, signal);
				this.#follow(watched);
			},
			// Every pass says so while there is no connection.
			() => {},
		);
	}

	/** Begins to follow the pods, once. */
	#follow(watched: WatchedPods): void {
		this.#following ??= watched.run(this.#closing.signal);
	}

	/** @throws {PodRefused} for what the operator does not allow. */
	#planOf(launch: Launch, spec: PodSpec): PodPlan {
		const { user, limits, egress, variables, doorUrl, accessMode } = this.#settings;
		const { installation, models } = this.#options;
		return {
			...launch,
			...offeredImage(spec.image, this.#settings),
			installation,
			proofs: launchProofs(models.podToken(launch.sessionId, launch.generation)),
			workspaceId: spec.workspace_id,
			owner: spec.owner,
			user,
			resources: podResources(spec.resource_config ?? {}, limits),
			placement: offeredPlacement(spec.placement, this.#settings.placements),
			egress: spec.egress?.profile ?? egress,
			variables,
			doorUrl,
			accessMode,
		};
	}

	#cluster(): Promise<Cluster> {
		this.#connected ??= this.#connect().catch((error: unknown) => {
			this.#connected = undefined;
			throw error;
		});
		return this.#connected;
	}

	async #connect(): Promise<Cluster> {
		const { namespace } = this.#settings;
		const { metrics, installation } = this.#options;
		const access = await openAccess(this.#settings, "pods.runtime.kwargs.kubeconfig");
		const api = new ApiClient({ access, metrics });
		const objects = new SessionObjects(api, namespace, installation);
		const watched = new WatchedPods(collectionSource(api, objects.pods, objects.selector), metrics);
		const sizes = new VolumeSizes((id) => objects.volumeClaim(id));
		return { api, objects, watched, sizes, pods: new ClusterPods(objects, watched) };
	}
}

/** The connection to the cluster. */
interface Cluster {
	readonly api: ApiClient;
	readonly objects: SessionObjects;
	readonly pods: ClusterPods;
	readonly watched: WatchedPods;
	readonly sizes: VolumeSizes;
}

const keysInPods =
	"The key of a session's model is given to its pod, where its programs can read it (docs/kubernetes.md)";

/** Rejects with the reason of the signal when that is why a step has failed. */
async function inTime<T>(step: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	try {
		return await step;
	} catch (error) {
		signal?.throwIfAborted();
		throw error;
	}
}
