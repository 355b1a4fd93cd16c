/** The storage of one process: one store that is opened once for all parts, and the relay of its events to the event log. */
import { join } from "node:path";
import { importCollection, refuseHalfImported } from "../archive/import-mark.ts";
import { interruptedRestore } from "../archive/installation.ts";
import { auditedStore } from "#shared/store/audit/audited-store.ts";
import { AuditLog } from "#shared/store/audit/audit-log.ts";
import { AuditSigner } from "#shared/store/audit/audit-signature.ts";
import { loadAdapter } from "#shared/config/adapter.ts";
import { type Config, ConfigError } from "#shared/config/config.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { measureOutboxes } from "#shared/store/event-log/outbox-lag.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import type { Leases } from "#shared/store/leases/leases.ts";
import { MeasuredLeases } from "#shared/store/leases/measured-leases.ts";
import { OwnLeases } from "#shared/store/leases/own-leases.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import type { Migrations } from "#shared/store/migrations/migration.ts";
import { migrationCollection } from "#shared/store/migrations/migration-collection.ts";
import { runMigrations } from "#shared/store/migrations/run-migrations.ts";
import { processCollection } from "../presence/process-collection.ts";
import { ProcessRegistry } from "../presence/process-registry.ts";
import type { PartModule, Platform, Storage } from "../platform.ts";
import { keyPrintCollection, refuseOtherKey } from "#shared/store/key-print.ts";
import { StartError } from "#shared/base/start-error.ts";
import type { Collection } from "#shared/store/collection.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { measuredStore } from "#shared/store/measured-store.ts";
import { lostStore } from "./lost-store.ts";
import { openStore } from "./open-store.ts";
import { loadParts, type PartModules, serviceFolders } from "../service-folders.ts";

/** The collections that belong to no service. */
export const platformCollections = [
	leaseCollection,
	migrationCollection,
	importCollection,
	keyPrintCollection,
] as const;

/** Takes a store that is open, and joins the processes that use it. */
export type JoinProcesses = (store: DocumentStore, processes: ProcessRegistry) => Promise<void>;

/**
 * Opens the configured store with the collections of all these parts.
 * @param joinProcesses Called before anything of the documents is changed; absent: no other process is asked.
 * @throws {ConfigError} when the configured store allows only one process and other processes would need it too.
 */
export async function openStorage(
	platform: Platform,
	parts: PartModules,
	joinProcesses?: JoinProcesses,
): Promise<Storage> {
	const { config, key, readiness, metrics, log, announce, waitFor } = platform;
	const folder = join(config.data_dir, "store");
	const adapter = await loadAdapter<DocumentStore>(config.store, documentStoreMethods, {
		reserve_mb: config.disk.reserve_mb,
		folder,
	});
	const store = measuredStore(adapter, metrics);
	if (!store.isShared) await refuseDivided(parts, config.store.adapter);
	// A process with "event-log" is told over the bus of the events of this one (relay-link.ts).
	if (config.bus.url === "") refuseUnrelayed(parts);
	const interrupted = store.isShared ? undefined : interruptedRestore(folder);
	if (interrupted !== undefined) throw new StartError(`Cannot start: ${interrupted}`);
	const lost = store.isShared ? undefined : lostStore(config.data_dir, folder);
	if (lost !== undefined) throw new StartError(lost);
	// The relay moves the events of all processes, whichever of their parts run here.
	const known = store.isShared ? await loadParts(serviceFolders) : parts;
	const collections = [...known.values()].flatMap(collectionsOf);
	// Which processes run is nothing that an archive holds.
	await openStore(store, [...collections, ...platformCollections, processCollection], { announce, waitFor });
	await refuseHalfImported(store);
	await refuseOtherKey(store, key.print(), keyPlace(config));
	const processes = await joined(store, joinProcesses);
	const leases = new MeasuredLeases(store.isShared ? new StoredLeases(store) : new OwnLeases(), metrics);
	const told = (sentence: string) => {
		announce(sentence);
		waitFor?.(sentence);
	};
	await runMigrations({ store, leases, migrations: migrationsOf(parts), announce: told });
	waitFor?.("the process is starting");
	readiness.set("store", () => store.ping());
	const eventLog = new EventLog(store);
	const auditLog = new AuditLog(store, new AuditSigner(key.auditSeed()));
	const relay = new OutboxRelay(store, { events: eventLog, audit: auditLog }, collections.filter(isRelayed), (error) =>
		log.error("Events wait in the store:", error),
	);
	await settleRelay(relay, store, leases);
	measureOutboxes(metrics, store, collections.filter(isRelayed));
	const audited = auditedStore(store, auditLog, () => relay.wakeAll());
	return { store: audited, eventLog, auditLog, relay, leases, processes };
}

async function joined(store: DocumentStore, joinProcesses: JoinProcesses | undefined): Promise<ProcessRegistry> {
	const processes = new ProcessRegistry(store);
	await joinProcesses?.(store, processes);
	// A restore looks for processes when it has left its mark, so one that began meanwhile is seen there or here.
	await refuseHalfImported(store);
	return processes;
}

function keyPlace({ data_dir, installation_key }: Config): string {
	return installation_key === "" ? `"${join(data_dir, "keys", "installation")}"` : "the configured installation_key";
}

/** Decides who enters events into the logs: the relay of one process of several, or the store in its own transactions. */
async function settleRelay(relay: OutboxRelay, store: DocumentStore, leases: Leases): Promise<void> {
	if (store.transactions) await relay.replaceBy(store.transactions);
	if (store.isShared) relay.share(leases);
}

function isRelayed({ hasOutbox, audited }: Collection): boolean {
	return hasOutbox || audited !== undefined;
}

function migrationsOf(parts: PartModules): Migrations {
	const storing = [...parts].filter(([, { collections }]) => collections !== undefined);
	return new Map(storing.map(([name, { migrations = [] }]) => [name, migrations]));
}

function collectionsOf({ collections = [] }: PartModule) {
	return collections;
}

/**
 * Refuses a store for one process when storing parts are missing here. This process cannot see the others, but if one
 * of them runs these parts, it needs the same store.
 */
async function refuseDivided(parts: PartModules, adapter: string): Promise<void> {
	const others = await loadParts(serviceFolders.filter((name) => !parts.has(name)));
	const missing = storingNames(others);
	if (missing.length === 0) return;
	throw new ConfigError(
		`Cannot run ${listed(storingNames(parts))} without ${listed(missing)}: only one process can have the store ` +
			`"${adapter}", so it runs all services that store; use ${commandFor(parts, missing)}, or a store of several ` +
			`processes (docs/configuration.md, "store")`,
	);
}

/**
 * Refuses storing parts without `event-log` in a process that cannot tell another one of their events.
 * @throws {ConfigError}
 */
function refuseUnrelayed(parts: PartModules): void {
	if (parts.has("event-log")) return;
	const [sender] = [...parts].find(([, part]) => collectionsOf(part).some(isRelayed)) ?? [];
	if (sender === undefined) return;
	throw new ConfigError(
		`Cannot run "${sender}" without "event-log", which sees to it that its events get into the event log; ` +
			`use ${commandFor(parts, ["event-log"])}, or "bus.url", over which a process with "event-log" is told of them`,
	);
}

function storingNames(parts: PartModules): string[] {
	return [...parts].filter(([, part]) => collectionsOf(part).length > 0).map(([name]) => name);
}

function listed(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

function commandFor(parts: PartModules, missing: readonly string[]): string {
	const names = serviceFolders.filter((name) => parts.has(name) || missing.includes(name));
	return `"npm run service -- ${names.join(" ")}"`;
}
