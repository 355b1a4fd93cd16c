/**
 * The bounds of the platform on the work that it admits, a row each: what somebody may use at a time, in a second, or in all. The
 * code takes its numbers from here, and docs/limits.md has the table of them. Bounds of the form of a request (lengths, depths) are in
 * the contracts and the schema of the configuration; times, caches and pages, which nobody is refused for, stand where they are used.
 */

/** The one that has the bound; `process` stands for one process of the platform, whoever uses it. */
type Whose =
	| "action of a process"
	| "address"
	| "connection"
	| "gateway"
	| "message"
	| "object"
	| "person"
	| "pod"
	| "process"
	| "provider"
	| "server"
	| "session"
	| "tenant";

/** The value is Infinity without a bound; `key` is a key of the configuration whose default it is. */
type Row = readonly [value: number, unit: string, what: string, key?: string];

export interface Bound {
	readonly value: number;
	/** `bytes`, `ms` or the things that are counted. */
	readonly unit: string;
	readonly what: string;
	readonly key: string | undefined;
	readonly whose: Whose;
	/** The effect beyond it: the status and code of a refusal, or another one. */
	readonly beyond: string;
}

function rows<K extends string>(whose: Whose, beyond: string, of: Readonly<Record<K, Row>>): Record<K, Bound> {
	const made = Object.entries<Row>(of).map(([name, [value, unit, what, key]]) => [
		name,
		{ value, unit, what, key, whose, beyond },
	]);
	return Object.fromEntries(made);
}

const kib = 1_024;
const mib = 1_048_576;

export const bounds = {
	...rows("person", "429 `RATE_LIMIT`", {
		requestsPerSecond: [50, "requests", "that begin in a second, on average", "limits.requests_per_second"],
		burst: [100, "requests", "that begin at once after a pause", "limits.burst"],
	}),
	...rows("person", "429 `REQUESTS_IN_FLIGHT`", {
		requestsOfOne: [64, "requests", "that are under way; as many more wait for bodies", "limits.in_flight_per_user"],
	}),
	...rows("tenant", "429 `REQUESTS_IN_FLIGHT`", {
		requestsOfTenant: [128, "requests", "that are under way", "limits.in_flight_per_tenant"],
	}),
	...rows("person", "the bound of the tenant", {
		ownRequests: [8, "requests", "that are under way whatever others of the tenant do"],
	}),
	...rows("person", "waits", {
		pacedRequests: [2, "requests", "that are worked on while others send some too; slow ones do not count"],
	}),
	...rows("person", "429 `BODIES_IN_FLIGHT`", {
		bodyBytesOfOne: [16 * mib, "bytes", "of bodies of requests that are not answered"],
	}),
	...rows("gateway", "429 `BODIES_IN_FLIGHT` for those with more than their share", {
		bodyBytes: [128 * mib, "bytes", "of bodies of requests that are not answered"],
	}),
	...rows("gateway", "a forgotten one begins with a full burst", {
		countedCallers: [20_000, "callers", "whose rate is remembered"],
		countedSenders: [10_000, "senders", "of webhooks whose rate is remembered"],
	}),
	...rows("connection", "waits", { requestsOfConnection: [8, "requests", "that are worked on"] }),
	...rows("connection", "it is closed", { waitingOfConnection: [4_096, "requests", "that wait"] }),
	...rows("gateway", "an idle one is closed, or the new one", {
		connections: [2_000, "connections", "beside streams, and at most half of the files of the process"],
	}),
	...rows("process", "the new one is closed", { opsConnections: [64, "connections", "to the pages for operators"] }),
	...rows("message", "431", { headerBytes: [16 * kib, "bytes", "of headers of a request"] }),
	...rows("message", "413", {
		bodyOfRequest: [64 * kib, "bytes", "of a body, unless a row below says otherwise"],
		bodyWithPrompt: [512 * kib, "bytes", "of a body with prompts: sessions, messages, profiles, presets, prompts"],
		bodyWithReport: [900 * kib, "bytes", "of a body that a pod reports, or that raises events"],
		bodyOfWebhook: [768 * kib, "bytes", "of a webhook"],
	}),

	...rows("provider", "429 `RATE_LIMIT`", {
		messagesPerSecond: [50, "webhooks", "with a right signature in a second"],
		messageBurst: [100, "webhooks", "with a right signature at once"],
	}),
	...rows("address", "429 `RATE_LIMIT`", {
		wrongMessagesPerSecond: [2, "webhooks", "with a wrong signature in a second"],
		wrongMessageBurst: [50, "webhooks", "with a wrong signature at once"],
	}),
	...rows("gateway", "429 `RATE_LIMIT`", { messages: [16, "webhooks", "that are worked on"] }),
	...rows("gateway", "429 `RATE_LIMIT` for the oldest one of the address with most", {
		waitingMessages: [32, "webhooks", "whose bodies are awaited"],
	}),

	...rows("action of a process", "waits", {
		calls: [256, "calls", "that run"],
		callsWithOwn: [1_024, "calls", "that run, with the places that everybody has"],
	}),
	...rows("person", "waits", {
		callsOfOne: [128, "calls", "of an action that run"],
		ownCalls: [8, "calls", "of an action that run whatever others do"],
	}),
	...rows("action of a process", "429 `BUSY`", { waitingCalls: [4_096, "calls", "that wait"] }),
	...rows("person", "429 `BUSY`", { waitingCallsOfOne: [1_024, "calls", "of an action that wait"] }),
	...rows("process", "503", { unansweredCalls: [2_000, "calls", "to other processes that are not answered"] }),
	...rows("message", "422 `EVENT_TOO_LARGE`", { eventBytes: [64 * kib, "bytes", "of an event of the stream"] }),
	...rows("message", "413 `REQUEST_TOO_LARGE`, 502 `RESULT_TOO_LARGE`", {
		messageBytes: [900 * kib, "bytes", "of a message on the bus"],
	}),

	...rows("person", "429 `BUSY`", {
		changesOfOneObject: [64, "changes", "of one session, chronicle, timeline or history that wait"],
		changesOfOne: [128, "changes", "of all of them that wait"],
		changeWaitMs: [4_000, "ms", "that a change waits for its turn"],
	}),
	...rows("person", "waits", { passesOfOne: [16, "sessions", "that a pod manager works on"] }),
	...rows("object", "429 `BUSY`", { changeRaces: [20, "races", "that a change loses against other processes"] }),
	...rows("process", "waits", {
		eventReadings: [4, "readings", "of raw events"],
		passes: [64, "sessions", "that a pod manager works on"],
		podLooks: [32, "sessions", "whose pods are read because they have changed"],
		statsQuestions: [32, "questions", "for statistics of streams"],
		trackerTries: [16, "tries", "of moves of issues"],
		outboundSockets: [256, "connections", "to servers outside, of each kind"],
		storeConnections: [50, "connections", "to MongoDB"],
		writesOfCommit: [512, "writes", "of SQLite that are committed together"],
	}),
	...rows("person", "waits", {
		eventReadingsOfOne: [2, "readings", "of raw events"],
		trackerTriesOfOne: [2, "tries", "of moves of issues"],
	}),
	...rows("server", "waits", { outboundSocketsOfOne: [32, "connections", "to a server outside"] }),
	...rows("process", "429 `BUSY`", {
		waitingEventReadings: [1_024, "readings", "of raw events that wait"],
		waitingDiffs: [64, "readings", "of large stored diffs that wait for the one that runs"],
	}),
	...rows("person", "429 `BUSY`", {
		waitingEventReadingsOfOne: [64, "readings", "of raw events that wait"],
		waitingDiffsOfOne: [4, "readings", "of large stored diffs that wait"],
	}),
	...rows("process", "the answer says `stopping`", { stopWaits: [64, "answers", "to stops that wait for the end"] }),
	...rows("person", "the answer says `stopping`", { stopWaitsOfOne: [8, "answers", "to stops that wait for the end"] }),
	...rows("process", "503 `STORE_OVERLOADED`", { waitingWrites: [10_000, "writes", "of SQLite that wait"] }),
	...rows("tenant", "503", { waitingReports: [10_000, "reports", "of usage that wait in a process"] }),

	...rows("process", "503", { chats: [1_000, "chats", "of all sessions"] }),
	...rows("person", "429 `TOO_MANY_CHATS`", { chatsOfOne: [256, "chats", "of all sessions of a process"] }),
	...rows("session", "503", { chatsOfSession: [16, "chats", "at a process"] }),
	...rows("session", "nothing more is read for a time", {
		chatFrames: [3_200, "frames", "of chats in a second; a person has twice as many"],
		chatBytes: [16 * mib, "bytes", "of chats in a second; a person has twice as many"],
	}),
	...rows("gateway", "503, or the oldest of the person with most is closed", {
		streams: [2_000, "streams", "of events", "stream.max_clients"],
	}),
	...rows("connection", "it is closed", { unreadBytes: [256 * kib, "bytes", "of events that a client has not read"] }),
	...rows("message", "the connection is closed", { frameBytes: [mib, "bytes", "of a frame of a chat"] }),
	...rows("session", "502 `POD_BUSY`", { unconfirmedMessages: [100, "messages", "that the pod has not confirmed"] }),
	...rows("process", "the one idle for longest is closed", { podSockets: [1_000, "connections", "to pods"] }),

	...rows("person", "409 `RUNNING_LIMIT`", {
		runningOfOne: [20, "sessions", "that start or run", "limits.running_per_user"],
	}),
	...rows("tenant", "409 `TENANT_RUNNING_LIMIT`", {
		runningOfTenant: [200, "sessions", "that start or run", "limits.running_per_tenant"],
	}),
	...rows("message", "422 `LAUNCH_TOO_LARGE`", { launchBytes: [768 * kib, "bytes", "of the settings of a session"] }),
	...rows("person", "409 `TOKEN_LIMIT`", { tokens: [50, "tokens", "in all", "pat.max_per_user"] }),
	...rows("person", "409 `TOO_MANY_CONNECTIONS`", {
		integrations: [100, "connections", "of integrations in all", "integrations.max_per_user"],
	}),
	...rows("person", "409 `SECRET_LIMIT`", {
		secrets: [100, "secrets", "in all", "secrets.kwargs.max_per_user"],
		secretBytes: [mib, "bytes", "of all secrets in the store", "secrets.kwargs.max_bytes_per_user"],
	}),
	...rows("process", "503 `SECRETS_FULL`", {
		secretBytesInMemory: [64 * mib, "bytes", "of all secrets in memory", "secrets.kwargs.max_bytes"],
	}),
	...rows("person", "409 `CREDENTIAL_LIMIT`", {
		credentials: [100, "credentials", "in all, and of a tenant", "credential_store.kwargs.max_per_owner"],
	}),
	...rows("tenant", "409 `TOO_MANY_DEFAULTS`", { defaults: [100, "groups", "with default presets"] }),
	...rows("person", "the oldest one ends", {
		logins: [10, "logins", "at integrations that wait"],
		idempotencyKeys: [1_000, "keys", "of repeatable requests that are remembered"],
		evaluations: [2_000, "evaluations", "of pull requests"],
	}),
	...rows("tenant", "429 `OAUTH_LOGINS`", { loginsOfTenant: [1_000, "logins", "at integrations that wait"] }),
	...rows("tenant", "409 `TOO_DEEP`", { tenantDepth: [10, "tenants", "above each other"] }),
	...rows("session", "the oldest one is removed", { rawEvents: [5_000, "events", "that programs have raised"] }),
	...rows("session", "it is not made", { moves: [50, "moves", "of issues"] }),

	...rows("session", "it ends with `DISK_FULL`", {
		measuredEntries: [2_000_000, "files", "and folders that are counted when its workspace is measured"],
		measureMs: [30_000, "ms", "that the measurement of its workspace takes, three times in a row"],
	}),
	...rows("session", "503", {
		egressConnections: [128, "connections", "to servers, through the way out of a container"],
	}),
	...rows("session", "closed", {
		egressClients: [160, "connections", "to the way out of a container"],
	}),
	...rows("session", "waits", {
		egressLookups: [8, "names", "that the way out of a container looks up"],
	}),
	...rows("pod", "503", {
		podConnections: [64, "connections", "to the session agent"],
		podChats: [16, "chats", "at the session agent, and as many connections for messages"],
	}),
	...rows("process", "the new one is closed", {
		clusterDoorConnections: [2_048, "connections", "of pods of a cluster to a pod manager"],
	}),
	...rows("pod", "the new one is closed", {
		clusterDoorConnectionsOfPod: [32, "connections", "of the address of a pod of a cluster to a pod manager"],
	}),
	...rows("pod", "503, and it asks again", {
		podReportsPerSecond: [
			4,
			"questions and reports",
			"of a pod of a cluster, or a session in a container, to a pod manager in a second",
		],
		podReportBurst: [
			20,
			"questions and reports",
			"of a pod of a cluster, or a session in a container, to a pod manager at once",
		],
	}),
	...rows("pod", "waits", { diffsOfPod: [2, "diffs", "that git makes"] }),
	...rows("pod", "504 `DIFF_TIMEOUT`", { diffMs: [30_000, "ms", "that a diff takes, with its wait"] }),
	...rows("pod", "503 `DIFF_BUSY`", { waitingDiffsOfPod: [16, "diffs", "that wait"] }),
	...rows("pod", "refused in the chat", {
		openPermissions: [32, "requests", "for a permission that wait for an answer"],
	}),
	...rows("process", "429 at the agent", {
		doorHeldBytes: [
			512 * mib,
			"bytes",
			"of bodies of calls of the model of all sessions in containers, beyond their equal shares",
		],
	}),
	...rows("pod", "429 at the agent", { modelCalls: [32, "calls", "of the model"] }),
	...rows("pod", "413 at the agent", { modelBodyBytes: [32 * mib, "bytes", "of the body of a call of the model"] }),
	...rows("pod", "503 at the agent", { modelHeldBytes: [128 * mib, "bytes", "of bodies of all calls of the model"] }),
} satisfies Record<string, Bound>;

/** The numbers of the bounds by their names. */
export const bound = Object.fromEntries(Object.entries(bounds).map(([name, { value }]) => [name, value])) as {
	readonly [K in keyof typeof bounds]: number;
};
