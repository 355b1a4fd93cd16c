/** One process of the platform: composes the parts of its service folders around one broker, and ends them in order. */
import type { ServiceBroker } from "moleculer";
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { NatsLink } from "#shared/bus/nats-link.ts";
import { sleep } from "#shared/clock.ts";
import { type BusConfig, type Config, ConfigError, isOnePersons, loadConfig } from "#shared/config/config.ts";
import { failpoint } from "#shared/failpoints.ts";
import { openInstallationKey } from "#shared/secrets/keys.ts";
import type { Compose, Part, Platform } from "#shared/platform.ts";
import { fileCheck } from "./file-check.ts";

/** In the order in which they start; they end the other way round. */
const folders = [
	"sessions",
	"blueprints",
	"settings",
	"identity",
	"pod-manager",
	"models",
	"stream",
	"gateway",
] as const;

/** An end that takes longer is cut short. Pods that end with the platform have 24 s after everything else. */
const endMs = { keep: 25_000, stop: 50_000 } as const;

/** Two looks of a load balancer that asks every second. */
const unreadyMs = 2_000;

export class PlatformProcess {
	readonly #names: readonly string[];
	readonly #config: Config;
	readonly #onBusLost: (cause: unknown) => void;
	readonly #parts: Part[] = [];
	#broker: ServiceBroker | undefined;
	#isStarted = false;
	#isStopping = false;

	/**
	 * @param names Service folders; none: all of them.
	 * @param onBusLost Called when the connection to the bus is closed and will never come back.
	 * @throws {ConfigError}
	 */
	constructor(names: readonly string[], onBusLost: (cause: unknown) => void) {
		this.#names = chosenFolders(names);
		this.#config = loadConfig();
		this.#onBusLost = onBusLost;
	}

	/** @throws {StartError} when the configuration, a folder or an address cannot be used. */
	async start(): Promise<void> {
		const { data_dir, installation_key, bus } = this.#config;
		const key = openInstallationKey(data_dir, installation_key);
		if (existsSync(data_dir)) enableCompileCache(join(data_dir, "cache"));
		const platform: Platform = {
			config: this.#config,
			key,
			rawHandlers: new Map(),
			upgradeHandlers: new Map(),
			shortcomings: [],
			readiness: new Map([["files", fileCheck(data_dir)]]),
		};
		await this.#compose(platform);
		if (this.#isStopping) return;
		const label = this.#names.length === folders.length ? "platform" : this.#names.join("-");
		const broker = await newBroker(bus, key.busSeal(), label);
		this.#broker = broker;
		for (const { services } of this.#parts) for (const service of services) broker.createService(service);
		await broker.start();
		const link = new NatsLink(broker);
		platform.readiness.set("bus", () => link.check());
		link.onClosed(this.#onBusLost);
		this.#isStarted = true;
	}

	/** How long its end may take. */
	get endMs(): number {
		return endMs[this.#config.pods.on_exit];
	}

	/** Ends what has been started so far; a start that is under way goes no further. */
	async stop(): Promise<void> {
		this.#isStopping = true;
		const parts = this.#parts.toReversed();
		await this.#becomeUnready(parts);
		// All at once: the streams' goodbye does not wait for a slow answer.
		await Promise.all(parts.map(async (part) => part.drain?.()));
		await this.#broker?.stop();
		for (const part of parts) await part.close?.();
	}

	async #compose(platform: Platform): Promise<void> {
		for (const name of this.#names) {
			const { compose }: { compose: Compose } = await import(join(import.meta.dirname, name, "compose.ts"));
			if (this.#isStopping) return;
			this.#parts.push(await compose(platform));
			failpoint(`start.composed-${name}`);
		}
	}

	/** Requests are taken as before, until whoever sends them had the time to notice. */
	async #becomeUnready(parts: readonly Part[]): Promise<void> {
		const asked = parts.filter((part) => part.unready !== undefined);
		for (const part of asked) part.unready?.();
		if (asked.length > 0 && this.#isStarted) await sleep(unreadyTime(this.#config));
	}
}

/** The framework is loaded here, where its compiled code can be found. */
async function newBroker(bus: BusConfig, key: Buffer, label: string): Promise<ServiceBroker> {
	const [{ ServiceBroker }, { brokerOptions }] = await Promise.all([
		import("moleculer"),
		import("../moleculer.config.ts"),
	]);
	return new ServiceBroker(brokerOptions(bus, key, label));
}

/** @throws {ConfigError} */
function chosenFolders(names: readonly string[]): readonly string[] {
	const unknown = names.find((name) => !folders.some((folder) => folder === name));
	if (unknown !== undefined) throw new ConfigError(`There is no service "${unknown}"; there are ${folders.join(", ")}`);
	return names.length === 0 ? folders : folders.filter((folder) => names.includes(folder));
}

/** Nobody balances the load of one process of one developer. */
function unreadyTime(config: Config): number {
	const alone = config.bus.url === "" && isOnePersons(config);
	return config.shutdown.unready_ms ?? (alone ? 0 : unreadyMs);
}
