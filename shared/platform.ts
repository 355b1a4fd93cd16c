/** What one process of the platform consists of: every service folder contributes a part, composed from the same dependencies. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ServiceSchema } from "moleculer";
import type { Principal } from "./bus/principal.ts";
import type { Config } from "./config/config.ts";
import type { InstallationKey } from "./secrets/keys.ts";

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
	/** By action name; filled by parts, read by the gateway. */
	readonly rawHandlers: Map<string, RawHandler>;
	/** By action name; filled by parts, read by the gateway. */
	readonly upgradeHandlers: Map<string, UpgradeHandler>;
	/** What this installation cannot keep of what is promised; filled by parts, told at `/health`. */
	readonly shortcomings: string[];
	/** By the name of what is checked; filled by parts, read by the gateway's `/ready`. */
	readonly readiness: Map<string, ReadinessCheck>;
}

export interface Part {
	readonly services: readonly ServiceSchema[];
	/** Before the end: whoever asks whether this process is ready hears that it is ending, while everything goes on. */
	unready?(): void;
	/** First step of an orderly end, of all parts at once, while all services still answer. */
	drain?(): Promise<void>;
	/** Last step, when the bus is closed. */
	close?(): Promise<void>;
}

/** What the file `compose.ts` of every service folder exports as `compose`. */
export type Compose = (platform: Platform) => Promise<Part>;
