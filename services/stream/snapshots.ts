/** The present state as events, for clients that cannot be told what they missed. */
import type { Session } from "#shared/contracts/session-resource.ts";
import type { Principal } from "#shared/bus/principal.ts";
import type { Audience } from "./audience.ts";
import { frame, type EventPosition } from "./sse-frame.ts";

export const maxSessions = 500;

const pageSize = 100;

/** Of all frames; each client that is behind gets them. */
const maxBytes = 4 * 1_048_576;

export interface SnapshotPage {
	readonly items: readonly Session[];
	readonly next?: string | undefined;
}

/** A page of what the principal may see, newest first. */
export type ListSessions = (
	principal: Principal,
	page: { limit: number; cursor?: string | undefined },
) => Promise<SnapshotPage>;

export interface Snapshot {
	/** Everything up to here is in it; what follows may be as well. */
	readonly position: EventPosition;
	/** One `session_updated` a session. The last carries the position, so that one who leaves earlier starts over. */
	readonly frames: readonly Buffer[];
	/** There are more sessions than these. */
	readonly more: boolean;
}

export class Snapshots {
	readonly #list: ListSessions;
	readonly #position: () => EventPosition;
	readonly #underWay = new Map<Audience, Promise<Snapshot>>();

	/** @param position Of the newest event; asked before the sessions are. */
	constructor(list: ListSessions, position: () => EventPosition) {
		this.#list = list;
		this.#position = position;
	}

	/** Clients of one audience that ask meanwhile share it. */
	take(audience: Audience): Promise<Snapshot> {
		const shared = this.#underWay.get(audience);
		if (shared) return shared;
		const taken = this.#take(audience.principal).finally(() => this.#underWay.delete(audience));
		this.#underWay.set(audience, taken);
		return taken;
	}

	async #take(principal: Principal): Promise<Snapshot> {
		const position = this.#position();
		const frames: Buffer[] = [];
		let [bytes, cursor]: [number, string | undefined] = [0, undefined];
		let last: Session | undefined;
		do {
			const limit = Math.min(pageSize, maxSessions - frames.length);
			const page: SnapshotPage = await this.#list(principal, { limit, cursor });
			for (const session of page.items) {
				const told = frame("session_updated", JSON.stringify(session));
				frames.push(told);
				bytes += told.length;
				last = session;
			}
			cursor = page.next;
		} while (cursor !== undefined && frames.length < maxSessions && bytes < maxBytes);
		if (last) frames.splice(-1, 1, frame("session_updated", JSON.stringify(last), position));
		return { position, frames, more: cursor !== undefined };
	}
}
