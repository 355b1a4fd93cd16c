/** One process of the platform: composes the parts of its service folders around one broker, and ends them in order. */
import type { ServiceBroker } from "moleculer";
import { existsSync } from "node:fs";
import { ForeignKeyWatch } from "#shared/bus/nats/foreign-key.ts";
import { labelOf } from "#shared/bus/nats/nats-config.ts";
import { NatsLink } from "#shared/bus/nats/nats-link.ts";
import { sleep } from "#shared/base/clock.ts";
import { type BusConfig, type Config, loadConfig } from "#shared/config/config.ts";
import { configSchema } from "#shared/config/config-schema.ts";
import { environment } from "#shared/config/environment.ts";
import { similarVariables } from "#shared/config/mistakes/similar-variables.ts";
import { sharedMachineWarning } from "#shared/config/shared-machine.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { dataFolderWarning } from "#shared/config/data-folder.ts";
import { exposedKeys, refuseUnusableFiles } from "#shared/base/files/unusable-files.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { printJson } from "./log/json-log.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import type { Part, PartModule, Platform, Storage } from "./platform.ts";
import { StartError } from "#shared/base/start-error.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { enablePlatformCache } from "./compile-cache.js";
import { DiskWatch } from "./storage/disk-watch.ts";
import { fileCheck } from "./storage/file-check.ts";
import { lostKey } from "./storage/lost-key.ts";
import type { Tracer } from "#shared/telemetry/tracing/tracer.ts";
import { ProcessOps } from "./process-ops.ts";
import { StartWait } from "./start-wait.ts";
import { openTraces, type ProcessTraces } from "./process-traces.ts";
import { chosenFolders, loadParts, type PartModules } from "./service-folders.ts";
import { type JoinProcesses, openStorage } from "./storage/storage.ts";
import { describeProcess } from "./process-entry.ts";
import { relayLink } from "./relay-link.ts";
import { ProcessPresence, remoteRegistry } from "./process-presence.ts";
import { refuseIdentityOfOneProcess, trustsCallers } from "./trusts-callers.ts";

/**
 * The time for an orderly end, in milliseconds; a longer end is forced. Pods that end with the platform have 24 s after
 * everything else.
 */
const endMs = { keep: 25_000, stop: 50_000 } as const;

/** Two checks of a load balancer that checks every second. */
const unreadyMs = 2_000;

/** One process. The program that creates it calls `start` once and `stop` at its end. */
export class PlatformProcess {
	readonly #names: readonly string[];
	readonly #config: Config;
	readonly #onBusLost: (cause: unknown) => void;
	readonly #onRefused: (error: StartError) => void;
	#presence: ProcessPresence | undefined;
	readonly #parts: Part[] = [];
	#storage: Storage | undefined;
	#store: DocumentStore | undefined;
	#broker: ServiceBroker | undefined;
	#outbound: Outbound | undefined;
	#ops: ProcessOps | undefined;
	readonly #start = new StartWait();
	#disk: DiskWatch | undefined;
	#traces: ProcessTraces | undefined;
	/** How long the gateway still accepts requests when the end begins, in milliseconds. */
	#unreadyMs = unreadyMs;
	#isStarted = false;
	#isStopping = false;

	/**
	 * @param names The service folders to run; an empty list means all of them.
	 * @param onBusLost Called when the connection to the bus is closed and will never be restored.
	 * @param onRefused Called when it turns out after the start that this process cannot run beside others.
	 * @throws {ConfigError}
	 */
	constructor(
		names: readonly string[],
		onBusLost: (cause: unknown) => void,
		onRefused: (error: StartError) => void = onBusLost,
	) {
		this.#onRefused = onRefused;
		this.#names = chosenFolders(names);
		this.#config = loadConfig();
		this.#onBusLost = onBusLost;
	}

	/** Starts all parts. @throws {StartError} when the configuration, a folder or an address cannot be used. */
	async start(): Promise<void> {
		const { data_dir, installation_key, bus, log } = this.#config;
		const isJson = log.format === "json";
		if (isJson) printJson();
		await refuseIdentityOfOneProcess(this.#config);
		refuseUnusableFiles(data_dir);
		const lost = lostKey(data_dir, installation_key);
		if (lost !== undefined) throw new StartError(lost);
		const key = openInstallationKey(data_dir, installation_key);
		if (existsSync(data_dir)) enablePlatformCache(data_dir);
		const trusts = await trustsCallers(this.#config);
		const metrics = new Metrics();
		const label = labelOf(this.#names);
		const outbound = (this.#outbound = new Outbound(this.#config.outbound));
		const warn = (error: unknown) => this.#broker?.logger.warn("Traces cannot be exported:", error);
		this.#traces = openTraces({ config: this.#config, service: label, metrics, outbound, onError: warn });
		const tracer = this.#traces?.tracer;
		const foreignKey = new ForeignKeyWatch(() => this.#refuseForeignKey());
		const broker = await newBroker({ bus, key: key.busSeal(), label }, { metrics, tracer, isJson, foreignKey });
		this.#unreadyMs = unreadyTime(this.#config, trusts);
		const platform: Platform = {
			config: this.#config,
			key,
			trustsCallers: trusts,
			outbound,
			rawHandlers: new Map(),
			upgradeHandlers: new Map(),
			shortcomings: [],
			metrics,
			tracer,
			readiness: new Map([["files", fileCheck(data_dir)]]),
			log: broker.logger,
			announce: (sentence) => console.log(sentence),
			waitFor: (sentence) => this.#start.waitFor(sentence),
		};
		this.#nameItself(platform, broker.nodeID);
		const link = new NatsLink(broker);
		// The parts are checked after it, because what they lack may follow from it.
		platform.readiness.set("bus", () => link.check());
		warnOfAccepted(platform);
		const similar = similarVariables(environment(), configSchema);
		if (similar !== undefined) platform.announce(similar);
		this.#disk = new DiskWatch(platform);
		this.#ops = new ProcessOps({ ...platform, start: this.#start });
		await this.#ops.listen();
		await this.#compose(platform, (name) => broker.getLogger(name));
		if (this.#isStopping) return;
		this.#broker = broker;
		await this.#connect(broker, link);
		this.#presence?.follow(remoteRegistry(broker), this.#onRefused);
		this.#isStarted = true;
		this.#start.done();
	}

	/** The longest time of an orderly end, in milliseconds. */
	get endMs(): number {
		return endMs[this.#config.pods.on_exit];
	}

	/** Ends all parts that have been started so far; a start under way does not continue. */
	async stop(): Promise<void> {
		this.#isStopping = true;
		const parts = this.#parts.toReversed();
		this.#ops?.drain();
		await this.#becomeUnready(parts);
		// The parts drain at once, so that the streams' last messages do not wait for a slow answer.
		await Promise.all(parts.map(async (part) => part.drain?.()));
		await this.#presence?.leave();
		await this.#broker?.stop();
		for (const part of parts) await part.close?.();
		await this.#close();
	}

	/** Closes what the parts share. */
	async #close(): Promise<void> {
		await this.#traces?.stop();
		this.#disk?.stop();
		this.#outbound?.close();
		await this.#store?.close();
		this.#ops?.close();
	}

	/** Offers the services of all parts to the other processes. */
	async #connect(broker: ServiceBroker, link: NatsLink): Promise<void> {
		for (const { services } of this.#parts) for (const service of services) broker.createService(service);
		if (this.#config.bus.url !== "") this.#start.waitFor("the start waits for the bus");
		await broker.start();
		await link.announce();
		link.onClosed(this.#onBusLost);
	}

	/** Tells operators the name by which the logs of other processes name this one. */
	#nameItself({ metrics, announce, config }: Platform, node: string): void {
		metrics.sample("atelier_process_info", () => [{ labels: [node, this.#names.join(" ")], value: 1 }]);
		if (config.bus.url !== "") announce(`This process is ${node} in the logs of the others`);
	}

	/** A process with the store compares its key there, and one that such a process has answered has the right one. */
	#refuseForeignKey(): void {
		if (this.#storage !== undefined || this.#presence?.wasAnswered === true) return;
		this.#onRefused(
			new StartError(
				"This process and those on its bus have another installation key; all processes need the same one: copy keys/installation from the data folder of a core, or set ATELIER_INSTALLATION_KEY (docs/several-processes.md)",
			),
		);
	}

	async #compose(platform: Platform, logOf: (name: string) => ServiceLog): Promise<void> {
		if (platform.config.bus.url !== "") await this.#appear(platform);
		const modules = await loadParts(this.#names);
		for (const [name, module] of modules) {
			if (this.#isStopping) return;
			this.#parts.push(await this.#composePart(module, { ...platform, log: logOf(name) }, modules));
			failpoint(`start.composed-${name}`);
		}
		// The link is closed last, as "event-log" is.
		if (this.#storage && !modules.has("event-log")) this.#parts.unshift(relayLink(platform, this.#storage));
		await this.#presence?.addPlace(this.#parts.find(({ place }) => place !== undefined)?.place);
	}

	/** Composes a part. The store is opened for the first part that needs it, with the collections of all parts. */
	async #composePart(module: PartModule, platform: Platform, modules: PartModules): Promise<Part> {
		if (module.collections === undefined) return module.compose(platform);
		this.#storage ??= await this.#openStorage(platform, modules);
		return module.compose({ ...platform, ...this.#storage });
	}

	/** Opens the store, and joins the other processes before this one does anything there. */
	async #openStorage(platform: Platform, modules: PartModules): Promise<Storage> {
		const join: JoinProcesses = async (store, processes) => {
			// A store that is open is closed at the end of a start that fails here.
			this.#store = store;
			if (store.isShared) await this.#appear(platform);
			await this.#presence?.join(processes);
		};
		try {
			return await openStorage(platform, modules, join);
		} catch (error) {
			await this.#presence?.leave();
			throw error;
		}
	}

	async #appear(platform: Platform): Promise<void> {
		this.#presence ??= new ProcessPresence(await describeProcess(platform, this.#names), platform);
	}

	/** Announces the end and goes on accepting requests for a while, so that load balancers notice. */
	async #becomeUnready(parts: readonly Part[]): Promise<void> {
		const asked = parts.filter((part) => part.unready !== undefined);
		for (const part of asked) part.unready?.();
		if (asked.length > 0 && this.#isStarted) await sleep(this.#unreadyMs);
	}
}

/** Creates the broker. The framework is imported only here, after the compile cache has been enabled. */
async function newBroker(
	{ bus, key, label }: { bus: BusConfig; key: Buffer; label: string },
	observers: { metrics: Metrics; tracer: Tracer | undefined; isJson: boolean; foreignKey: ForeignKeyWatch },
): Promise<ServiceBroker> {
	const [{ ServiceBroker }, { brokerOptions }] = await Promise.all([
		import("moleculer"),
		import("../moleculer.config.ts"),
	]);
	return new ServiceBroker(brokerOptions(bus, key, label, observers));
}

/** Says at every start what the operator has accepted, and which keys others can read. */
function warnOfAccepted({ config, shortcomings, announce }: Platform): void {
	const accepted = [sharedMachineWarning(config), dataFolderWarning(config.data_dir)];
	for (const sentence of [...accepted.filter((one) => one !== undefined), ...exposedKeys(config.data_dir)]) {
		shortcomings.push(sentence);
		announce(sentence);
	}
}

/** The time is zero for a single process of one developer, because no load balancer checks it. */
function unreadyTime({ bus, shutdown }: Config, trusts: boolean): number {
	const alone = bus.url === "" && trusts;
	return shutdown.unready_ms ?? (alone ? 0 : unreadyMs);
}
