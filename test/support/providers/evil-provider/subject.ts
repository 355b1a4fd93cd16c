/** An adapter that the evil provider is tried on: its honest server, and what it can be asked to do. */
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import type { Asked } from "./recording.ts";

/** Where an adapter finds its provider, and how it gets there. */
export interface Target {
	readonly origin: string;
	readonly token: string;
	readonly outbound: Outbound;
}

export interface Operation {
	readonly name: string;
	readonly kind: "read" | "write";
	/** The most requests, whatever the server does, except for a list without end. */
	readonly calls: number;
	/** The most requests for a list without end; default `calls`. */
	readonly pages?: number;
	/** The requests of its honest form that change something: 0 for reading. */
	readonly changes: number;
	/** The change may be sent again after an unclear answer, because two of it are like one. */
	readonly isIdempotent?: boolean;
	/** The object may be absent, which is a result and no error. */
	readonly mayBeAbsent?: boolean;
	/** The answer to the change is not read, only its status. */
	readonly ignoresAnswer?: boolean;
	run(target: Target): Promise<unknown>;
	/** Asks the honest server for more that the operation wants to know when its change fails. */
	readonly prepare?: (target: Target) => Promise<unknown>;
}

/** The honest server of a subject, ready for each of its operations once, in their order. */
export interface HonestServer extends AsyncDisposable {
	readonly origin: string;
	readonly token: string;
}

export interface Subject {
	readonly name: string;
	/** The provider in the adapter's sentences; default the subject's name. */
	readonly provider?: string;
	readonly operations: readonly Operation[];
	/** Whether a request changes something; default: every method but GET and HEAD. */
	readonly isWrite?: (asked: Asked) => boolean;
	/** The forms in which the token is sent, beside the token itself. */
	readonly secrets?: (token: string) => readonly string[];
	start(): Promise<HonestServer>;
}

/** Says which requests change something. */
export function writeOf({ isWrite }: Subject): (asked: Asked) => boolean {
	return isWrite ?? (({ method }) => method !== "GET" && method !== "HEAD");
}
