/** Holds all clients of the stream in this process, grouped by what they may see. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { personKey, type Principal } from "#shared/base/principal.ts";
import { every, monotonic, sleep, type Timer } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { Audience, audienceKey } from "./audience.ts";
import { type CatchUp, nowhere } from "./catch-up.ts";
import type { EventIds, EventPosition } from "./event-ids.ts";
import type { LogTail } from "./log-tail.ts";
import type { TailEntry } from "./retained-entries.ts";
import { type ClientLimits, clientLimits, SseClient } from "./sse-client.ts";
import { frame, join } from "./sse-frame.ts";

const sweepMs = 1_000;

/** The time for the last frames to clients, in milliseconds. */
const goodbyeMs = 2_000;

interface SseHubDependencies {
	readonly tail: LogTail;
	readonly ids: EventIds;
	readonly catchUp: CatchUp;
	readonly maxClients: number;
	/** The bounds for slow clients; default {@link clientLimits}. */
	readonly limits?: ClientLimits;
}

/** The clients that may see the same events. */
export interface Group {
	readonly audience: Audience;
	readonly clients: Set<SseClient>;
	/** The time of the newest event that they may see, on the monotonic clock. */
	changedAt: number;
}

/** The groups of a client: its audience and its person. */
interface ClientGroups {
	readonly group: string;
	readonly person: string;
}

/** The clients of one process. The event stream drains and closes it. */
export class SseHub {
	readonly #dependencies: SseHubDependencies;
	/** Clients by audience; no group is empty. */
	readonly #groups = new Map<string, Group>();
	readonly #clients = new Map<SseClient, ClientGroups>();
	/** Clients by person; no set is empty. */
	readonly #people = new Map<string, Set<SseClient>>();
	readonly #sweep: Timer;
	readonly #emptied = new AbortController();
	#isEnding = false;

	constructor(dependencies: SseHubDependencies) {
		this.#dependencies = dependencies;
		this.#sweep = every(sweepMs, () => this.#closeStalled());
	}

	get size(): number {
		return this.#clients.size;
	}

	/**
	 * Begins a stream, which then owns the response. When there are too many clients, the oldest one of the person with
	 * most clients is closed in favour of a person with fewer.
	 * @throws {UnavailableError} when no person has more, or the end has begun.
	 */
	open(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
		if (this.#isEnding) throw new UnavailableError("The process is ending");
		const { maxClients, limits = clientLimits, tail, ids } = this.#dependencies;
		const place = { group: audienceKey(principal), person: personKey(principal.tenant, principal.id) };
		const surplus = this.#clients.size < maxClients ? undefined : this.#surplusFor(place.person);
		const group = this.#groups.get(place.group) ?? newGroup(principal);
		const client = new SseClient(request, response, group.audience, limits);
		if (surplus) this.#cut(surplus);
		this.#add(client, place, group);
		const seen = request.headers["last-event-id"];
		const here = tail.isCurrent ? tail.position : nowhere;
		this.#bringUpToDate(client, typeof seen === "string" && seen !== "" ? ids.read(seen) : here);
	}

	/**
	 * Sends new entries to everybody who may see them: frames are joined once per audience and written once per client.
	 */
	appended(entries: readonly TailEntry[]): void {
		const at = monotonic();
		for (const group of this.#groups.values()) {
			const frames = entries.filter((entry) => group.audience.sees(entry)).map(({ frame }) => frame);
			if (frames.length === 0) continue;
			group.changedAt = at;
			const batch = join(frames);
			for (const client of group.clients) if (client.isLive) client.send(batch);
		}
	}

	/** The log continues elsewhere: clients that were live after `former` are caught up again. */
	moved(former: EventPosition): void {
		for (const group of this.#groups.values()) group.changedAt = monotonic();
		for (const client of this.#clients.keys()) {
			if (!client.isLive) continue;
			client.isLive = false;
			this.#bringUpToDate(client, former);
		}
	}

	/** The groups of clients that see the same. */
	get groups(): Iterable<Group> {
		return this.#groups.values();
	}

	/** Sends a group a heartbeat. @param stats The frame before it; undefined when there is none. */
	beat({ clients }: Group, stats: Buffer | undefined): void {
		const frames = stats ? [stats] : [];
		const { ids, tail } = this.#dependencies;
		const live = join([...frames, frame("heartbeat", "{}", ids.ofMoment(tail.position))]);
		// A client that still lacks events must not get a frame with the newest position.
		const behind = join([...frames, frame("heartbeat", "{}")]);
		for (const client of clients) client.send(client.isLive ? live : behind);
	}

	/** Sends everybody the last frames, and resolves when all clients are gone. */
	async drain(): Promise<void> {
		this.#isEnding = true;
		const bye = join([frame("bye", "{}")]);
		for (const client of this.#clients.keys()) client.end(bye);
		if (this.#clients.size > 0) await sleep(goodbyeMs, this.#emptied.signal);
		this.close();
	}

	/** Closes the remaining clients at once. */
	close(): void {
		this.#isEnding = true;
		this.#sweep.cancel();
		for (const client of this.#clients.keys()) client.close();
	}

	#bringUpToDate(client: SseClient, from: EventPosition): void {
		void this.#dependencies.catchUp.run(client, from);
	}

	#closeStalled(): void {
		const at = monotonic();
		for (const client of this.#clients.keys()) client.closeIfStalled(at);
	}

	/**
	 * Returns the oldest client of the person with most clients.
	 * @throws {UnavailableError} when that person has no more than this person would have with one more.
	 */
	#surplusFor(person: string): SseClient | undefined {
		const own = this.#people.get(person)?.size ?? 0;
		let most: ReadonlySet<SseClient> = new Set();
		for (const clients of this.#people.values()) if (clients.size > most.size) most = clients;
		if (most.size <= own + 1) throw new UnavailableError("There are too many event streams");
		const [oldest] = most;
		return oldest;
	}

	/** Closes a client and frees its place at once, whether it reads or not. */
	#cut(client: SseClient): void {
		client.close();
		this.#remove(client);
	}

	#add(client: SseClient, place: ClientGroups, group: Group): void {
		this.#groups.set(place.group, group);
		group.clients.add(client);
		const own = this.#people.get(place.person) ?? new Set();
		this.#people.set(place.person, own.add(client));
		this.#clients.set(client, place);
		client.signal.addEventListener("abort", () => this.#remove(client));
	}

	#remove(client: SseClient): void {
		const place = this.#clients.get(client);
		if (!place) return;
		this.#clients.delete(client);
		const group = this.#groups.get(place.group);
		group?.clients.delete(client);
		if (group?.clients.size === 0) this.#groups.delete(place.group);
		const own = this.#people.get(place.person);
		own?.delete(client);
		if (own?.size === 0) this.#people.delete(place.person);
		if (this.#isEnding && this.#clients.size === 0) this.#emptied.abort();
	}
}

function newGroup(principal: Principal): Group {
	return { audience: new Audience(principal), clients: new Set(), changedAt: monotonic() };
}
