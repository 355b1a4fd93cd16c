/**
 * Limits how many sessions of one owner start concurrently. A launch occupies a place while it is work for the machine:
 * from its claim until its pod is ready, is gone, or waits for something itself, such as a repository. Places also end
 * by time, so that a dead or hanging launch cannot occupy one for ever.
 */
import { personKey } from "#shared/base/principal.ts";
import type { Observation, ObservedPhase } from "#shared/contracts/sessions/session-work.ts";
import type { ReasonCode } from "#shared/contracts/sessions/status-reasons.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { ColumnChange, SessionChange, SessionRecord } from "./session-change.ts";
import { sessionCollection, type SessionDocument } from "./session-collection.ts";

/** The longest time that a launch occupies a place, in milliseconds. */
const placeMs = 10_000;
/**
 * The time after which a pod with an address counts as waiting, in milliseconds: it is then running git, whose server
 * is often far away.
 */
const waitingMs = 1_000;
/** How long a session waits before its owner is told the reason, in milliseconds. */
const patienceMs = 1_000;

/** The most launches that are counted; with more under way, an owner may have one too many. */
const maxCounted = 500;

/** The occupied places at one moment. */
export class LaunchPlaces {
	readonly #ofOne: number;
	readonly #taken: Map<string, Set<string>>;
	/** The sessions that were refused a place. */
	readonly held: SessionDocument[] = [];

	private constructor(ofOne: number, taken: Map<string, Set<string>>) {
		this.#ofOne = ofOne;
		this.#taken = taken;
	}

	/** Reads the occupied places from the store. @param ofOne The places of one owner. */
	static async read(store: Documents, ofOne: number, at: number): Promise<LaunchPlaces> {
		// A later end was written before the clock was set back.
		const range = { equals: [], from: at + 1, to: at + placeMs };
		const page = { limit: maxCounted, columns: ["tenant", "owner", "place_until"] } as const;
		const { documents } = await store.find(sessionCollection, "place", range, page);
		const taken = new Map<string, Set<string>>();
		for (const [owner, own] of Map.groupBy(documents, ownerOf)) taken.set(owner, new Set(own.map(({ id }) => id)));
		return new LaunchPlaces(ofOne, taken);
	}

	/** Whether a pass over the session may begin now; a launch then occupies a place. */
	admits(document: SessionDocument): boolean {
		if (!isLaunch(document)) return true;
		const owner = ownerOf(document);
		const own = this.#taken.get(owner) ?? new Set();
		if (own.size >= this.#ofOne && !own.has(document.id)) {
			this.held.push(document);
			return false;
		}
		this.#taken.set(owner, own.add(document.id));
		return true;
	}
}

export function ownerOf({ tenant = "", owner = "" }: SessionDocument): string {
	return personKey(tenant, owner);
}

/** The phases in which no part of a launch is under way. */
const ended = new Set<ObservedPhase>(["ready", "absent", "blocked"]);

export function placeTaken(document: SessionDocument, at: number): ColumnChange {
	return isLaunch(document) ? { set: { place_until: at + placeMs }, unset: ["waiting_reported"] } : {};
}

export function placeAfter(
	{ place_until }: SessionDocument,
	{ phase, address }: Observation,
	at: number,
): ColumnChange {
	if (place_until === undefined) return {};
	if (ended.has(phase)) return { unset: ["place_until"] };
	if (phase !== "launching" || address === undefined) return {};
	return { set: { place_until: Math.min(place_until, at + waitingMs) } };
}

export function leavesPlace({ place_until }: SessionDocument, { phase }: Observation): boolean {
	return place_until !== undefined && ended.has(phase);
}

/** Whether the owner must be told what the session waits for, or its time to start would run out meanwhile. */
export function mustBeReported({ due_at = 0, waiting_reported, deadline_at }: SessionDocument, at: number): boolean {
	return (waiting_reported === undefined && at - due_at > patienceMs) || deadline_at !== undefined;
}

/** Returns the change that tells the owner; the time to start begins again with the next claim. */
export function waitingChange(
	{ session, document }: SessionRecord,
	ofOne: number,
	at: number,
): SessionChange | undefined {
	if (!isLaunch(document) || !session.status_reason) return undefined;
	const message = `The session waits for its turn: ${ofOne} sessions of one owner start at a time`;
	return {
		at,
		members: { status_reason: { ...session.status_reason, code: "LAUNCH_WAITS" satisfies ReasonCode, message } },
		columns: { set: { waiting_reported: 1 }, unset: ["claimed_at", "deadline_at"] },
	};
}

/**
 * Returns the place of a session among those of its owner. A launch keeps the time of its request: a pass that failed, or
 * whose pod manager has died, makes it due later, and must not move it behind the launches that were requested after it.
 */
export function turnOf(document: SessionDocument): number {
	const { requested_at = 0, due_at = 0 } = document;
	return isLaunch(document) ? requested_at : due_at;
}

export function isLaunch({ status, desired }: SessionDocument): boolean {
	return status === "starting" && desired === "run";
}
