/**
 * How many sessions of one owner start side by side. A launch has a place while it is work for the machine: from its claim
 * until its pod is ready, is gone, or waits for something itself, such as a repository. Places end by time as well, so
 * nobody who dies or hangs keeps one.
 */
import { personKey } from "#shared/bus/principal.ts";
import type { Observation, ObservedPhase } from "#shared/contracts/session-work.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { ColumnChange, SessionChange, SessionRecord } from "./session-change.ts";
import { sessionCollection, type SessionDocument } from "./session-collection.ts";

/** The longest that a launch has a place. */
const placeMs = 10_000;
/** A pod that has an address makes its workspace; after this time it is git that works, often far away. */
const waitingMs = 1_000;
/** How long a session waits before its owner is told what for. */
const patienceMs = 1_000;

/** Launches that are counted; where more of them are under way, some owner may have one too many. */
const maxCounted = 500;

export class LaunchPlaces {
	readonly #ofOne: number;
	/** Ids of the sessions that have a place, by owner. */
	readonly #taken: Map<string, Set<string>>;
	/** Sessions that were refused one. */
	readonly held: SessionDocument[] = [];

	private constructor(ofOne: number, taken: Map<string, Set<string>>) {
		this.#ofOne = ofOne;
		this.#taken = taken;
	}

	/** As they are in the store. @param ofOne Places of one owner. */
	static async read(store: DocumentStore, ofOne: number, at: number): Promise<LaunchPlaces> {
		// One beyond that is from a clock that was set back since.
		const range = { equals: [], from: at + 1, to: at + placeMs };
		const page = { limit: maxCounted, columns: ["tenant", "owner", "place_until"] } as const;
		const { documents } = await store.find(sessionCollection, "place", range, page);
		const taken = new Map<string, Set<string>>();
		for (const [owner, own] of Map.groupBy(documents, ownerOf)) taken.set(owner, new Set(own.map(({ id }) => id)));
		return new LaunchPlaces(ofOne, taken);
	}

	/** Whether a pass over the session may begin now; a launch takes a place then. */
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

/** Nothing of a launch is under way then. */
const ended = new Set<ObservedPhase>(["ready", "absent", "blocked"]);

/** Of a claim. */
export function placeTaken(document: SessionDocument, at: number): ColumnChange {
	return isLaunch(document) ? { set: { place_until: at + placeMs }, unset: ["waiting_reported"] } : {};
}

/** Of a report: what an observation makes of the place. */
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

/** Whether the owner does not know yet what it waits for, or its time to start runs out meanwhile. */
export function isToBeTold({ due_at = 0, waiting_reported, deadline_at }: SessionDocument, at: number): boolean {
	return (waiting_reported === undefined && at - due_at > patienceMs) || deadline_at !== undefined;
}

/** It is said, and the time to start begins anew with the next claim. */
export function waitingChange(
	{ session, document }: SessionRecord,
	ofOne: number,
	at: number,
): SessionChange | undefined {
	if (!isLaunch(document) || !session.status_reason) return undefined;
	const message = `The session waits for its turn: ${ofOne} sessions of one owner start at a time`;
	return {
		at,
		members: { status_reason: { ...session.status_reason, code: "LAUNCH_WAITS", message } },
		columns: { set: { waiting_reported: 1 }, unset: ["claimed_at", "deadline_at"] },
		event: "session_updated",
	};
}

function isLaunch({ status, desired }: SessionDocument): boolean {
	return status === "starting" && desired === "run";
}
