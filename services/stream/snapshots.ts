/** Makes the present state as events, for clients whose missed events are unknown. */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Audience } from "./audience.ts";
import type { EventIds, EventPosition } from "./event-ids.ts";
import { frame } from "./sse-frame.ts";

const maxSessions = 500;

const pageSize = 100;

/** The most bytes of all frames; each client that is behind gets all of them. */
const maxBytes = 4 * 1_048_576;

interface SnapshotPage {
	readonly items: readonly Session[];
	readonly next?: string | undefined;
}

/** Lists a page of the sessions that the principal may see, newest first. */
type ListSessions = (
	principal: Principal,
	page: { limit: number; cursor?: string | undefined },
) => Promise<SnapshotPage>;

/** The present state for one audience. */
interface Snapshot {
	/** The state contains all events up to this position, and possibly later ones. */
	readonly position: EventPosition;
	/** The id of the position for clients. */
	readonly id: string;
	/**
	 * One `session_updated` per session. Only the last frame has the id, so a client that disconnects earlier
	 * starts over.
	 */
	readonly frames: readonly Buffer[];
	/** Whether there are more sessions than these frames. */
	readonly more: boolean;
}

/** Makes snapshots, one at a time per audience. */
export class Snapshots {
	readonly #list: ListSessions;
	readonly #position: () => EventPosition;
	readonly #ids: EventIds;
	readonly #underWay = new Map<Audience, Promise<Snapshot>>();

	/** @param position Returns the position of the newest event; it is read before the sessions are. */
	constructor(list: ListSessions, position: () => EventPosition, ids: EventIds) {
		this.#list = list;
		this.#ids = ids;
		this.#position = position;
	}

	/** Returns a snapshot; calls for the same audience share one that is being made. */
	take(audience: Audience): Promise<Snapshot> {
		const shared = this.#underWay.get(audience);
		if (shared) return shared;
		const taken = this.#take(audience.principal).finally(() => this.#underWay.delete(audience));
		this.#underWay.set(audience, taken);
		return taken;
	}

	async #take(principal: Principal): Promise<Snapshot> {
		const position = this.#position();
		const id = this.#ids.ofMoment(position);
		const frames: Buffer[] = [];
		let [bytes, cursor]: [number, string | undefined] = [0, undefined];
		let last: Session | undefined;
		do {
			const limit = Math.min(pageSize, maxSessions - frames.length);
			const page: SnapshotPage = await this.#list(principal, { limit, cursor });
			for (const session of page.items) {
				const encoded = frame("session_updated", JSON.stringify(session));
				frames.push(encoded);
				bytes += encoded.length;
				last = session;
			}
			cursor = page.next;
		} while (cursor !== undefined && frames.length < maxSessions && bytes < maxBytes);
		if (last) frames.splice(-1, 1, frame("session_updated", JSON.stringify(last), id));
		return { position, id, frames, more: cursor !== undefined };
	}
}
