/**
 * The entry of the platform: runs the named service folders in this process, all of them without names.
 * `npm start`; `npm run service -- gateway stream`.
 */
import { ServiceBroker } from "moleculer";
import { join } from "node:path";
import { brokerOptions } from "../moleculer.config.ts";
import { InternalTokens } from "#shared/bus/internal-token.ts";
import { NatsLink } from "#shared/bus/nats-link.ts";
import { after, sleep } from "#shared/clock.ts";
import { ConfigError, loadConfig } from "#shared/config.ts";
import { openInstallationKey } from "#shared/keys.ts";
import type { Compose, Part, Platform } from "#shared/platform.ts";
import { StartError } from "#shared/start-error.ts";

/** In the order in which they start; they end the other way round. */
const folders = ["sessions", "blueprints", "settings", "identity", "pod-manager", "stream", "gateway"] as const;

let ending = false;

/** An end that takes longer than this is cut short. */
const hardExitMs = 25_000;

function chosenFolders(names: readonly string[]): readonly string[] {
	const unknown = names.find((name) => !folders.some((folder) => folder === name));
	if (unknown !== undefined) throw new ConfigError(`There is no service "${unknown}"; there are ${folders.join(", ")}`);
	return names.length === 0 ? folders : folders.filter((folder) => names.includes(folder));
}

async function composeAll(names: readonly string[], platform: Platform): Promise<Part[]> {
	const parts: Part[] = [];
	for (const name of names) {
		const { compose }: { compose: Compose } = await import(join(import.meta.dirname, name, "compose.ts"));
		parts.push(await compose(platform));
	}
	return parts;
}

async function start(): Promise<void> {
	const names = chosenFolders(process.argv.slice(2));
	const config = loadConfig();
	const key = openInstallationKey(config.data_dir, config.installation_key);
	const tokens = new InternalTokens(key.internal());
	const platform: Platform = { config, key, tokens, rawHandlers: new Map(), readiness: new Map() };
	const broker = new ServiceBroker(
		brokerOptions(config.bus, tokens, names.length === folders.length ? "platform" : names.join("-")),
	);
	const parts = await composeAll(names, platform);
	for (const { services } of parts) for (const service of services) broker.createService(service);
	endOnSignal(broker, parts.toReversed());
	await broker.start();
	const link = new NatsLink(broker);
	platform.readiness.set("bus", () => link.check());
	link.onClosed((cause) => exitUnlessEnding(cause));
}

/** A process without its bus is a zombie: whoever supervises it starts a new one. */
function exitUnlessEnding(cause: unknown): void {
	if (ending) return;
	console.error("Ends because the connection to the bus is closed for good:", cause ?? "no reason given");
	process.exit(70);
}

/** The first signal drains and ends; a second one ends at once. */
function endOnSignal(broker: ServiceBroker, parts: readonly Part[]): void {
	const end = (signal: NodeJS.Signals) => {
		if (ending) process.exit(1);
		ending = true;
		after(hardExitMs, () => process.exit(1), { keepAlive: true });
		drainAndStop(broker, parts).then(
			() => process.exit(0),
			(error: unknown) => {
				console.error(`Could not end in order after ${signal}:`, error);
				process.exit(1);
			},
		);
	};
	process.on("SIGINT", end);
	process.on("SIGTERM", end);
}

async function drainAndStop(broker: ServiceBroker, parts: readonly Part[]): Promise<void> {
	// All at once: the streams' goodbye does not wait for a slow answer.
	await Promise.all(parts.map(async (part) => part.drain?.()));
	await broker.stop();
	for (const part of parts) await part.close?.();
}

process.on("unhandledRejection", (error) => {
	console.error("Ends because of an error nobody expected:", error);
	process.exit(70);
});

try {
	await start();
} catch (error) {
	console.error(error instanceof StartError ? error.message : error);
	// Lets what is written reach its reader; whatever still runs must not keep a failed start alive.
	await sleep(10);
	process.exit(1);
}
