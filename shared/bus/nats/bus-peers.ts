/**
 * Says which service folder calls which other ones over the bus, and which ones receive its events. The permissions on NATS
 * follow from this table (nats-config.ts); a test compares it with the sources.
 */

/** The peers of one folder, in alphabetical order. */
export interface BusPeers {
	/** The folders whose actions it calls. */
	readonly calls: readonly string[];
	/** The folders that receive its events. */
	readonly tells: readonly string[];
}

/** The peers by folder, in the order in which the folders start; the name of a process consists of its folders in this order. */
export const busPeers: Readonly<Record<string, BusPeers>> = {
	"event-log": { calls: [], tells: ["event-log", "sessions", "stream"] },
	sessions: {
		calls: ["blueprints", "credentials", "git", "identity", "integrations", "pod-manager"],
		tells: ["event-log", "pod-manager"],
	},
	blueprints: { calls: [], tells: ["event-log"] },
	settings: { calls: ["audit"], tells: ["event-log"] },
	audit: { calls: [], tells: [] },
	identity: { calls: [], tells: ["event-log"] },
	pat: { calls: [], tells: ["event-log", "gateway"] },
	git: { calls: ["identity", "integrations", "sessions"], tells: ["event-log"] },
	tracker: { calls: ["integrations", "sessions"], tells: ["event-log"] },
	integrations: { calls: ["credentials", "git", "tracker"], tells: ["event-log", "pod-manager"] },
	credentials: { calls: ["audit", "event-log", "identity", "integrations", "sessions"], tells: [] },
	"pod-manager": { calls: ["credentials", "event-log", "identity", "integrations", "sessions"], tells: [] },
	models: { calls: ["event-log"], tells: [] },
	stream: { calls: ["event-log", "sessions"], tells: [] },
	gateway: {
		calls: [
			"audit",
			"blueprints",
			"credentials",
			"event-log",
			"git",
			"identity",
			"integrations",
			"models",
			"pat",
			"pod-manager",
			"sessions",
			"settings",
			"tracker",
		],
		tells: [],
	},
};
