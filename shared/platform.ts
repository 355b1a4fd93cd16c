/** What one process of the platform consists of: every service folder contributes a part, composed from the same dependencies. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ServiceSchema } from "moleculer";
import type { Principal } from "./bus/principal.ts";
import type { Config } from "./config/config.ts";
import type { EventLog } from "./event-log/event-log.ts";
import type { OutboxRelay } from "./event-log/outbox-relay.ts";
import type { InstallationKey } from "./secrets/keys.ts";
import type { ServiceLog } from "./service-log.ts";
import type { Collection } from "./store/collection.ts";
import type { DocumentStore } from "./store/document-store.ts";

/** Serves one action with the raw HTTP response instead of a result, in the gateway's own process. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, principal: Principal) => void;

/** A request that asks for a WebSocket, from a caller who is known. */
export interface UpgradeRequest {
	readonly request: IncomingMessage;
	readonly socket: Duplex;
	readonly head: Buffer;
	readonly principal: Principal;
	readonly session_id: string;
	readonly requestId: string;
	/** Aborted when nobody waits for the upgrade any more. */
	readonly signal: AbortSignal;
}

/**
 * Upgrades the connection, in the gateway's own process. Rejects when it has not: the caller is answered then.
 */
export type UpgradeHandler = (request: UpgradeRequest) => Promise<void>;

/** Rejects with a sentence that says what is missing. */
export type ReadinessCheck = () => Promise<void>;

export interface Platform {
	readonly config: Config;
	readonly key: InstallationKey;
	/** Whether every caller may have the rights of whoever started the platform; the identity that is configured says so. */
	readonly trustsCallers: boolean;
	/** By action name; filled by parts, read by the gateway. */
	readonly rawHandlers: Map<string, RawHandler>;
	/** By action name; filled by parts, read by the gateway. */
	readonly upgradeHandlers: Map<string, UpgradeHandler>;
	/** What this installation cannot keep of what is promised; filled by parts, told at `/health`. */
	readonly shortcomings: string[];
	/** By the name of what is checked; filled by parts, read by the gateway's `/ready`. */
	readonly readiness: Map<string, ReadinessCheck>;
	/** The log of this part. */
	readonly log: ServiceLog;
	/** Prints a sentence about the start or the end of the process for the person who started it, whatever the log level is. */
	readonly announce: (sentence: string) => void;
}

/** What the parts of this process that store have in common. */
export interface Storage {
	/** It is open, with the collections of all these parts; who opened it closes it. */
	readonly store: DocumentStore;
	/** All events, in one order. */
	readonly eventLog: EventLog;
	/** Moves the events of this process's documents into the event log. A part wakes it after each write with an event. */
	readonly relay: OutboxRelay;
}

export type StoringPlatform = Platform & Storage;

export interface Part {
	readonly services: readonly ServiceSchema[];
	/** Before the end: whoever asks whether this process is ready hears that it is ending, while everything goes on. */
	unready?(): void;
	/** First step of an orderly end, of all parts at once, while all services still answer. */
	drain?(): Promise<void>;
	/** Last step, when the bus is closed. */
	close?(): Promise<void>;
}

export type Compose = (platform: Platform) => Promise<Part>;

/** What the file `compose.ts` of a service folder exports: one that stores says what. */
export type PartModule =
	| { readonly collections?: undefined; readonly compose: Compose }
	| {
			readonly collections: readonly Collection[];
			readonly compose: (platform: StoringPlatform) => Promise<Part>;
	  };
