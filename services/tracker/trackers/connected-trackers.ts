/**
 * Finds the trackers of a person: those of their connections, the newest first, and then those of the configuration.
 * Every tracker acts with the credential of its connection.
 */
import { createHash } from "node:crypto";
import type { Owner } from "#shared/base/principal.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { CachedTracker } from "./cached-tracker.ts";
import type { IssueTracker } from "./issue-tracker.ts";
import { type AdapterChoice, openTracker } from "./tracker-adapter.ts";
import type { TrackerCache } from "./tracker-cache.ts";

/** The most trackers that one request asks. */
const maxTrackers = 10;

export interface TrackerConnection extends AdapterChoice {
	/** The id of a person's connection; null for a tracker of the configuration. */
	readonly id: string | null;
	readonly slug: string;
}

/** The wish of a mapping: one connection, or a kind of tracker; both null: the person's first tracker. */
export interface TrackerWish {
	readonly connection_id: string | null;
	/** A slug or the short name of an adapter. */
	readonly tracker: string | null;
}

/** The enabled connections of a person to trackers, the newest first, and sentences about what could not be asked. */
export interface FoundConnections {
	readonly connections: readonly TrackerConnection[];
	readonly warnings: readonly string[];
}

interface Dependencies {
	readonly outbound: Outbound;
	readonly cache: TrackerCache;
	readonly connectionsOf: (person: Owner) => Promise<FoundConnections>;
	/** The trackers of the configuration, the default first. */
	readonly configured: readonly TrackerConnection[];
}

/** A tracker is opened anew for each request. */
export class ConnectedTrackers {
	readonly #dependencies: Dependencies;

	constructor(dependencies: Dependencies) {
		this.#dependencies = dependencies;
	}

	/** Returns the connections that a person's requests may use, in the order in which they are asked. */
	async of(person: Owner): Promise<FoundConnections> {
		const { connections, warnings } = await this.#dependencies.connectionsOf(person);
		return { connections: [...connections, ...this.#dependencies.configured].slice(0, maxTrackers), warnings };
	}

	/** Returns a tracker for one request. @throws as `openTracker`. */
	async open(person: Owner, connection: TrackerConnection): Promise<IssueTracker> {
		const { outbound, cache } = this.#dependencies;
		const tracker = await openTracker(connection, { outbound, isConfigured: connection.id === null });
		return new CachedTracker({ tracker, cache, key: keyOf(person, connection) });
	}

	/** Asks a tracker who its credential belongs to, without anything that was kept. @throws as `openTracker` and `status`. */
	async probe(choice: AdapterChoice) {
		const { outbound } = this.#dependencies;
		return (await openTracker(choice, { outbound, isConfigured: false })).status();
	}
}

/** Returns the connection that a wish means. A connection of somebody else is replaced by one of the same kind. Pure. */
export function chosen(
	connections: readonly TrackerConnection[],
	{ connection_id, tracker }: TrackerWish,
): TrackerConnection | undefined {
	const named = connections.find(({ id }) => id !== null && id === connection_id);
	if (named || tracker === null) return named ?? connections[0];
	return connections.find(({ slug, adapter }) => slug === tracker || adapter === tracker);
}

/** A changed credential or configuration has another key. The digest keeps secrets out of the map. */
function keyOf({ tenant, id }: Owner, connection: TrackerConnection): string {
	const { adapter, config, credential } = connection;
	const parts = JSON.stringify([tenant, id, connection.id, adapter, config, credential]);
	return `${createHash("sha256").update(parts).digest("base64url")} `;
}
