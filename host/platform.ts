/**
 * The parts of one platform process: every service folder contributes a part, and all are composed from the same
 * dependencies.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ServiceSchema } from "moleculer";
import type { AuditedStore } from "#shared/store/audit/audited-store.ts";
import type { AuditLog } from "#shared/store/audit/audit-log.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Config } from "#shared/config/config.ts";
import type { EventLog } from "#shared/store/event-log/event-log.ts";
import type { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import type { Leases } from "#shared/store/leases/leases.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { Migration } from "#shared/store/migrations/migration.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { SessionFiles } from "./archive/installation.ts";
import type { ProcessRegistry } from "./presence/process-registry.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Tracer } from "#shared/telemetry/tracing/tracer.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

/**
 * Serves one action in the gateway's own process: the handler writes the HTTP response itself instead of returning a
 * result.
 */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, principal: Principal) => void;

/** A request of an authenticated caller for a WebSocket. */
export interface UpgradeRequest {
	readonly request: IncomingMessage;
	readonly socket: Duplex;
	readonly head: Buffer;
	readonly principal: Principal;
	readonly session_id: string;
	readonly requestId: string;
	/** The signal aborts when nobody waits for the upgrade any more. */
	readonly signal: AbortSignal;
}

/**
 * Upgrades the connection in the gateway's own process. When it rejects, the connection was not upgraded, and the
 * gateway answers the caller with the error.
 */
export type UpgradeHandler = (request: UpgradeRequest) => Promise<void>;

/** Resolves when the checked dependency is ready; rejects with a sentence that says what is missing. */
export type ReadinessCheck = () => Promise<void>;

/** The dependencies that every part of a process shares. The program that starts the process owns them. */
export interface Platform {
	readonly config: Config;
	readonly key: InstallationKey;
	/**
	 * Whether every caller may have the rights of the person who started the platform; the configured identity adapter
	 * says so.
	 */
	readonly trustsCallers: boolean;
	/** Handlers by action name. The parts add them and the gateway reads them. */
	readonly rawHandlers: Map<string, RawHandler>;
	/** Handlers by action name. The parts add them and the gateway reads them. */
	readonly upgradeHandlers: Map<string, UpgradeHandler>;
	/** Sentences about guarantees that this installation cannot give. The parts add them, and `/health` shows them. */
	readonly shortcomings: string[];
	/** Checks by the name of the checked dependency. The parts add them, and the gateway runs them for `/ready`. */
	readonly readiness: Map<string, ReadinessCheck>;
	/** The metrics of this process; the parts add to those of the table. */
	readonly metrics: Metrics;
	/** Begins traces; absent when they are off. */
	readonly tracer?: Tracer | undefined;
	/** The way out for requests to URLs that people choose, and to servers of the configuration. */
	readonly outbound: Outbound;
	/** The log of this part. */
	readonly log: ServiceLog;
	/** Prints a sentence about the start or the end of the process for the person who started it, whatever the log level is. */
	readonly announce: (sentence: string) => void;
	/** Notes what the start waits for, which operators see at the ops listener; absent where there is none. */
	readonly waitFor?: (sentence: string) => void;
}

/** The storage that all storing parts of this process share. */
export interface Storage {
	/**
	 * The open store with the collections of all parts; it enters what persons change into the audit log. The program
	 * that opened it closes it.
	 */
	readonly store: AuditedStore;
	readonly eventLog: EventLog;
	readonly auditLog: AuditLog;
	/**
	 * Moves the events of this process's documents into the event log. A part wakes the relay after each write with an
	 * event.
	 */
	readonly relay: OutboxRelay;
	readonly processes: ProcessRegistry;
	/** Leases for work that only one process of the platform does at a time. */
	readonly leases: Leases;
}

export type StoringPlatform = Platform & Storage;

/**
 * The contribution of one service folder to a process.
 * @example
 * ```ts
 * export async function compose({ config }: Platform): Promise<Part> {
 * 	const jobs = new JobRunner(config);
 * 	return { services: [jobsService(jobs)], drain: () => jobs.finish(), close: () => jobs.close() };
 * }
 * ```
 */
export interface Part {
	readonly services: readonly ServiceSchema[];
	/** The host of the local pods of this process; absent: it has none. */
	readonly place?: { readonly host: string; readonly isReachable: boolean } | undefined;
	/** Runs first in an orderly end: `/ready` reports that the process is ending, while all services still work. */
	unready?(): void;
	/** Runs next, for all parts at once, while all services still answer. */
	drain?(): Promise<void>;
	/** Runs last, when the bus is closed. */
	close?(): Promise<void>;
}

/** The report about a machine for the person at the terminal. */
export interface MachineReport {
	readonly lines: readonly string[];
	/** Whether sessions can run with what a start takes. */
	readonly isUsable: boolean;
}

export type Compose = (platform: Platform) => Promise<Part>;

/** The exports of the file `compose.ts` of a service folder. A service that stores exports its collections too. */
export type PartModule =
	| {
			readonly collections?: undefined;
			readonly migrations?: undefined;
			readonly afterRestore?: undefined;
			/** Ends what works with the files of the data folder while no platform runs. */
			readonly beforeRestore?: (config: Config, say: (line: string) => void) => Promise<void>;
			/** Opens the reader of sessions' files that belong to another user; resolves to undefined when there is none. */
			readonly sessionFiles?: (config: Config) => Promise<SessionFiles | undefined>;
			/** Says where sessions could run on this machine, and where they would; it starts nothing. */
			readonly machineReport?: (config: Config) => Promise<MachineReport>;
			readonly compose: Compose;
	  }
	| {
			readonly collections: readonly Collection[];
			/** The migrations of its data, which have run when it is composed. */
			readonly migrations?: readonly Migration[];
			readonly compose: (platform: StoringPlatform) => Promise<Part>;
			readonly beforeRestore?: undefined;
			readonly sessionFiles?: undefined;
			readonly machineReport?: undefined;
			/** Changes the documents of a backup when they are restored, before a platform starts with them. */
			readonly afterRestore?: (store: DocumentStore) => Promise<void>;
	  };
