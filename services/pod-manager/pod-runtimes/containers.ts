/**
 * Runs each session in a container of its own at a Docker-compatible engine of this machine. A container has no network: it
 * reaches the platform through a folder with sockets that no other has (containers/session-door.ts). Its name lets the engine keep
 * only one of a launch, and its remains tell how it ended. The records of a launch are in `run/`, which no session can reach.
 */
import { join } from "node:path";
import { trimUntrusted } from "#shared/base/files/untrusted-file.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import type { Inventory, MeasuredFiles, MeasureTerms, Pod, PodPlace, PodRuntime, PodSpec } from "../pod-runtime.ts";
import { agentLog, containerName } from "./containers/container-request.ts";
import { ContainerList } from "./containers/container-list.ts";
import { isAlive } from "./containers/container-pod.ts";
import {
	containersKwargs,
	type ContainersOptions,
	type ContainersSettings,
	containersSettings,
	typedContainersKwargs,
} from "./containers/containers-options.ts";
import { EngineAway, EngineClient } from "./containers/engine-client.ts";
import { EngineContainers } from "./containers/engine-containers.ts";
import { engineUnusableBecause, filterLacks } from "./containers/engine-question.ts";
import { EngineProof } from "./containers/helpers/engine-proof.ts";
import { FilterCheck } from "./containers/filter/filter-check.ts";
import { followEngine } from "./containers/engine-events.ts";
import { ContainerFolders } from "./containers/container-folders.ts";
import { FolderHelpers } from "./containers/helpers/folder-helpers.ts";
import { FolderReader } from "./containers/helpers/folder-reader.ts";
import { ShortContainers } from "./containers/helpers/short-containers.ts";
import { LaunchDoors } from "./containers/launch-doors.ts";
import { SessionImages } from "./containers/images/session-images.ts";
import { LaunchEgress } from "./containers/launch-egress.ts";
import { LaunchModels } from "./containers/launch-models.ts";
import { LaunchStart } from "./containers/launches/launch-start.ts";
import { WarmBindings } from "./containers/warm/warm-bindings.ts";
import { WarmContainers } from "./containers/warm/warm-containers.ts";
import { WarmEngine } from "./containers/warm/warm-engine.ts";
import { WarmFolders } from "./containers/warm/warm-folders.ts";
import { EngineStops } from "./containers/reasons/engine-stops.ts";
import { MemoryWarnings } from "./containers/reasons/memory-warnings.ts";
import { refuse } from "./containers/reasons/engine-refusals.ts";
import type { Launch } from "./launches/launch.ts";
import { isThere } from "./launches/launched-pods.ts";
import { inventoryOf } from "./machine/machine-inventory.ts";
import { PodWatch } from "./machine/pod-watch.ts";
import { RunFolders } from "./machine/run-folders.ts";
import { SessionFolders } from "./machine/session-folders.ts";

/** The runtime for containers of one machine. They outlive it; another instance finds them again. */
export class ContainersRuntime implements PodRuntime {
	static readonly typedKwargs = typedContainersKwargs;
	static readonly kwargs = containersKwargs;
	static readonly unusableBecause = engineUnusableBecause;

	/** Returns sentences for a person who asks before a start. */
	static async lacksHere(...asked: Parameters<typeof filterLacks>): Promise<readonly string[]> {
		return [
			"The engine and the image of sessions are there; whether it keeps their bounds is proven by the first start",
			...(await filterLacks(...asked)),
		];
	}

	readonly isolation = "container";
	readonly hasHostFiles = false;
	readonly place: PodPlace | undefined;
	readonly workspaceBytes: number;
	readonly #options: ContainersOptions;
	readonly #settings: ContainersSettings;
	readonly #engine: EngineClient;
	readonly #containers: EngineContainers;
	readonly #stops: EngineStops;
	readonly #pods: ContainerList;
	readonly #runs: RunFolders;
	readonly #sessions: SessionFolders;
	readonly #short: ShortContainers;
	readonly #folders: ContainerFolders;
	readonly #reader: FolderReader;
	readonly #filter: FilterCheck;
	readonly #proof: EngineProof;
	readonly #images: SessionImages;
	readonly #models: LaunchModels;
	readonly #egress: LaunchEgress;
	readonly #doors: LaunchDoors;
	readonly #warm: WarmContainers;
	readonly #bindings: WarmBindings;
	readonly #start: LaunchStart;
	readonly #memory: MemoryWarnings;
	readonly #watches = new Set<PodWatch>();
	/** Aborts the work that `open` has begun. */
	readonly #closing = new AbortController();

	/** @throws {ConfigError} for an argument that cannot be used. */
	constructor(options: ContainersOptions) {
		const { dataDir, installation, host, platformUrl } = options;
		this.#options = options;
		this.#settings = containersSettings(options);
		this.workspaceBytes = this.#settings.limits.diskBytes;
		const { socket, listenHost, user } = this.#settings;
		this.place = host === undefined ? undefined : { host, isReachable: listenHost !== loopbackHost };
		this.#engine = new EngineClient(socket);
		this.#containers = new EngineContainers(this.#engine, installation);
		this.#images = new SessionImages(this.#engine, this.#settings, join(dataDir, "cache", "session-agent"));
		this.#runs = new RunFolders(join(dataDir, "run"));
		this.#stops = new EngineStops(this.#engine);
		this.#pods = new ContainerList(this.#runs, this.#containers, this.#stops);
		this.#sessions = new SessionFolders(join(dataDir, "sessions"));
		this.#short = new ShortContainers(this.#engine, installation);
		const helpers = isRoot() ? undefined : new FolderHelpers(this.#short, this.#settings);
		this.#folders = new ContainerFolders({ root: join(dataDir, "sessions"), sessions: this.#sessions, user, helpers });
		const place = join(dataDir, "cache", "reading");
		this.#reader = new FolderReader({ short: this.#short, image: this.#settings.image, place });
		const asked = { engine: this.#engine, settings: this.#settings };
		this.#filter = new FilterCheck({ ...asked, dataDir, installation });
		const proven = { ...asked, short: this.#short, filter: this.#filter };
		this.#proof = new EngineProof({ ...proven, dataDir });
		const onReport = ({ sessionId }: Launch): void => this.#tell(sessionId);
		this.#models = new LaunchModels({ runs: this.#runs, models: options.models, platformUrl });
		this.#egress = new LaunchEgress(
			this.#runs,
			{ rules: this.#settings.egress, refused: options.refusedNetworks },
			options.metrics,
		);
		const podToken = (of: Launch) => options.models.podToken(of.sessionId, of.generation);
		const parts = { podToken, models: this.#models, egress: this.#egress };
		this.#doors = new LaunchDoors({ runs: this.#runs, listenHost, platformUrl, ...parts, onReport });
		const shared = { installation, settings: this.#settings, images: this.#images, metrics: options.metrics };
		const warmFolders = new WarmFolders(dataDir, this.#runs.trash);
		const ensureProof = (signal: AbortSignal) => this.#proof.ensure(signal);
		const warmEngine = new WarmEngine(this.#engine, installation);
		this.#warm = new WarmContainers({ ...shared, engine: warmEngine, folders: warmFolders, ensureProof });
		const own = { containers: this.#containers, doors: this.#doors, runs: this.#runs, sessions: this.#sessions };
		this.#bindings = new WarmBindings({ ...own, warm: this.#warm, folders: warmFolders });
		const kept = { folders: this.#folders, models: this.#models, egress: this.#egress };
		this.#start = new LaunchStart({ ...shared, ...own, ...kept, warm: this.#bindings });
		this.#memory = new MemoryWarnings({
			isLiving: async (launch) => (await this.#containers.inspect(containerName(launch)))?.State.Status === "running",
			warn: (launch, sentence) => this.#doors.warn(launch, sentence),
		});
	}

	async open(): Promise<readonly string[]> {
		const { signal } = this.#closing;
		void this.#runs.trash.empty(signal);
		void this.#sessions.trash.empty(signal);
		void this.#reader.removeLeft().catch(() => {});
		await this.#folders.open();
		// A filter that is started for another platform refuses the list of containers too, and the proof says why.
		const sentences = await this.#proof.first(signal);
		await this.#openDoors();
		void this.#images.tend(this.#containers).catch(() => {});
		this.#warm.keep(signal);
		return sentences;
	}

	async close(): Promise<void> {
		this.#closing.abort();
		await Promise.all([this.#warm.close(), this.#images.close()]);
		this.#memory.close();
		this.#folders.close();
		await this.#doors.closeAll();
		await this.#models.closeAll();
		this.#engine.close();
	}

	async inventory(): Promise<Inventory> {
		const found = await inventoryOf(this.#pods, this.#runs, this.#sessions);
		const launches = [...found.pods, ...found.unfinished];
		for (const told of [this.#doors, this.#bindings]) told.forgetOthers(launches);
		const more = [this.#doors, this.#bindings, this.#warm, this.#filter].map(({ trouble }) => trouble);
		return { ...found, troubles: [...found.troubles, ...more.filter((trouble) => trouble !== undefined)] };
	}

	async find(sessionId: string, signal?: AbortSignal): Promise<Pod[]> {
		signal?.throwIfAborted();
		return this.#pods.ofSession(sessionId, signal).catch((error: unknown) => refuse(error, signal));
	}

	/** Starts the pod. @throws {Error} when a pod of another launch lives: two must never share a workspace. */
	create(spec: PodSpec, signal?: AbortSignal): Promise<void> {
		return this.#create(spec, signal).catch((error: unknown) => refuse(error, signal));
	}

	async #create(spec: PodSpec, signal?: AbortSignal): Promise<void> {
		const launch = { sessionId: spec.session_id, generation: spec.generation };
		if (isThere(await this.find(launch.sessionId, signal), launch)) return;
		await this.#proof.ensure(this.#closing.signal);
		await this.#start.run(spec, signal);
		this.#tell(launch.sessionId);
	}

	async end(pod: Pod, graceMs: number, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		await this.#runs.markEnding(pod);
		// The engine answers when the container has ended, which takes as long as the grace.
		void this.#containers
			.stop(pod.name, graceMs)
			.catch(() => {})
			.finally(() => this.#tell(pod.sessionId));
	}

	async forget(pod: Pod, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		await this.#remove(pod, signal);
	}

	async purge(sessionId: string, signal?: AbortSignal): Promise<void> {
		const pods = await this.find(sessionId, signal);
		const living = pods.find(({ state }) => state !== "gone");
		if (living) throw new Error(`Cannot purge session "${sessionId}": "${living.name}" still lives`);
		for (const launch of await this.#pods.launchesOf(sessionId, signal)) await this.#remove(launch, signal);
		await this.#folders.removeRecords(sessionId, signal);
	}

	removeWorkspace(workspaceId: string): Promise<void> {
		return this.#folders.removeWorkspace(workspaceId);
	}

	async measureWorkspace(workspaceId: string, terms: MeasureTerms): Promise<MeasuredFiles> {
		const { session = workspaceId } = terms;
		const launches = await this.#runs.ofSession(session);
		const beside = launches.map((launch) => this.#doors.foldersOf(launch).agent);
		const containers = await this.#containersOf(launches);
		return this.#folders.size({ ids: [...new Set([workspaceId, session])], beside, containers }, terms);
	}

	/** Returns the ids that the engine has given. Only a platform that is root may look into their processes; without an engine, none does. */
	async #containersOf(launches: readonly Launch[]): Promise<string[]> {
		if (!isRoot()) return [];
		const inspect = (launch: Launch) => this.#containers.inspect(containerName(launch)).catch(() => undefined);
		const found = await Promise.all(launches.map(inspect));
		return found.flatMap((container) => (container ? [container.Id] : []));
	}

	readFiles(id: string): Promise<AsyncIterable<unknown>> {
		return this.#reader.read(this.#sessions.whole(id));
	}

	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void {
		const runs = {
			path: this.#runs.path.bind(this.#runs),
			// The process that has opened the sockets of a container may have ended, and those that could not be opened are tried again.
			tend: (launch: Launch) => this.#tend(launch).catch(() => {}),
		};
		const watch = new PodWatch(this.#pods, runs, onChange, signal);
		this.#watches.add(watch);
		signal.addEventListener("abort", () => this.#watches.delete(watch));
		const listener = {
			onSession: (sessionId: string) => watch.look(sessionId),
			onOutOfMemory: (launch: Launch) => this.#memory.noticed(launch),
			onStop: (launch: Launch) => this.#stops.asked(launch),
			onConnected: () => {
				void this.#stops.connected();
				// A filter that was restarted may have other options.
				void this.#filter.again(signal);
			},
			onLost: () => this.#stops.lost(),
		};
		void followEngine(this.#engine, this.#options.installation, listener, signal);
	}

	/** Opens the sockets of containers that an earlier process has started, as far as it is possible: the inventory tells the others. */
	async #openDoors(): Promise<void> {
		const listed = await this.#containers.list().catch((error: unknown) => {
			// The watch opens them when the engine answers again.
			if (error instanceof EngineAway) return [];
			throw error;
		});
		const living = listed.filter(({ container }) => isAlive(container));
		for (const { launch } of living) await this.#openAgain(launch).catch(() => {});
	}

	/** Removes a launch whose container does not run. @throws {Error} while its usage is not delivered. */
	async #remove(launch: Launch, signal?: AbortSignal): Promise<void> {
		await this.#containers.remove(containerName(launch), signal);
		await this.#models.settle(launch);
		await this.#doors.close(launch);
		await this.#doors.removeDocument(launch);
		await this.#folders.clear(this.#doors.foldersOf(launch).agent, signal);
		await this.#runs.discard(launch);
	}

	async #openAgain(launch: Launch): Promise<void> {
		await this.#bindings.finish(launch);
		await this.#doors.open(launch);
	}

	async #tend(launch: Launch): Promise<void> {
		await this.#openAgain(launch);
		// A platform that is not root cannot do it; the log counts as a part of the workspace then, as all that a session writes.
		await trimUntrusted(join(this.#doors.foldersOf(launch).agent, agentLog), maxLogBytes);
	}

	#tell(sessionId: string): void {
		for (const watch of this.#watches) watch.look(sessionId);
	}
}

/** The most bytes of an agent's own log, which is emptied when it gets larger. */
const maxLogBytes = 4_194_304;

/** Whether this process may change the files of every user. */
function isRoot(): boolean {
	return process.geteuid?.() === 0;
}
