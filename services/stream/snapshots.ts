/** The present state as events, for clients that cannot be told what they missed. */
import type { Session } from "#shared/contracts/session-resource.ts";
import type { Principal } from "#shared/bus/principal.ts";
import type { Audience } from "./audience.ts";
import { frame, type Position } from "./sse-frame.ts";

export const maxSessions = 500;

/** A page of 500 could be larger than an answer on the bus may be. */
const pageSize = 100;

export interface SessionPage {
	readonly items: readonly Session[];
	readonly next?: string | undefined;
}

/** A page of what the principal may see, newest first. */
export type ListSessions = (
	principal: Principal,
	page: { limit: number; cursor?: string | undefined },
) => Promise<SessionPage>;

export interface Snapshot {
	/** Everything up to here is in it; what follows may be as well. */
	readonly position: Position;
	/** One `session_updated` a session. The last carries the position, so that one who leaves earlier starts over. */
	readonly frames: readonly Buffer[];
	/** There are more sessions than these. */
	readonly more: boolean;
}

export class Snapshots {
	readonly #list: ListSessions;
	readonly #position: () => Position;
	readonly #underWay = new Map<Audience, Promise<Snapshot>>();

	/** @param position Of the newest event; asked before the sessions are. */
	constructor(list: ListSessions, position: () => Position) {
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
		const sessions: Session[] = [];
		let cursor: string | undefined;
		do {
			const page = await this.#list(principal, { limit: pageSize, cursor });
			sessions.push(...page.items);
			cursor = page.next;
		} while (cursor !== undefined && sessions.length < maxSessions);
		const last = sessions.length - 1;
		const frames = sessions.map((session, index) =>
			frame("session_updated", JSON.stringify(session), index === last ? position : undefined),
		);
		return { position, frames, more: cursor !== undefined };
	}
}
