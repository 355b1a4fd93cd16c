/**
 * The contract between the pod manager and the sessions service, which is the only writer of session documents. The
 * sessions service never calls the pod manager: it stores work that is due, and announces it with a hint.
 */
import { defineContract, defineEvent } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { affectedSession } from "../credentials/credentials.ts";
import { type Failure, statusReasons } from "./status-reasons.ts";
import { count, freeForm, text, textMap } from "../field-rules.ts";

/**
 * The form of all session ids. Session ids are also parts of folder names and environments of processes, where nothing
 * with another form is taken for a session.
 */
export const sessionIdForm = "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

export const sessionIdRule = {
	type: "string",
	max: 36,
	pattern: `^${sessionIdForm}$`,
	words: "have the form of the id of a session",
} as const;
const id = sessionIdRule;
const named = { ...text, max: 1_000 } as const;

/** The desired states of a session's pods: one that runs, none, or none and no records of the session either. */
export const desiredStates = ["run", "stop", "purge"] as const;
export type Desired = (typeof desiredStates)[number];

/** The id of the host of a pod manager whose pods and files can be nowhere else (pod-runtime.ts). */
export const hostField = {
	type: "string",
	pattern: "^[0-9a-f]{16}$",
	words: "have 16 lower-case hexadecimal digits",
	max: 16,
	optional: true,
	description: "Only what is on this host, or on none yet; absent: everything",
} as const;

const claim = {
	id,
	tenant: { ...text, description: "The tenant of the session" },
	owner: { ...text, description: "The person for whom it runs" },
	generation: count,
	desired: { type: "enum", values: desiredStates },
	fence: { ...count, description: "Grows with every claim; a report with an older one is refused" },
	workspace: { ...id, description: "The workspace that the pod runs in, which no other session has" },
	launch: { ...freeForm, description: "LaunchSettings (shared/wire/pod/launch.ts)" },
	attempts: { ...count, description: "Claims since the last command or change of the status; the first is 1" },
	has_run: {
		type: "boolean",
		optional: true,
		description: "Whether the pod of this launch was ready: when it is gone, it is lost and not made again",
	},
} as const;
export type Claim = Output<typeof claim>;

/**
 * The observations of a pass. `absent`: no pod of any generation. `blocked`: an older generation still exists.
 * `launching`: the pod of this generation lives but is not ready. `ready`. `failed`: it gave up or died. `leaving`: it
 * is being ended.
 */
export const observedPhases = ["absent", "blocked", "launching", "ready", "failed", "leaving"] as const;
export type ObservedPhase = (typeof observedPhases)[number];

/** The most characters of texts that a pod reports; a runtime cuts longer ones. */
export const observedLengths = {
	pod_name: 255,
	address: 500,
	path: 255,
	progress: 500,
	code: 100,
	message: 4_096,
	agent_title: 200,
	branch: 255,
} as const;

/** The most clones that a pod reports; a runtime cuts more. */
export const maxObservedClones = 20;

/** The most warnings of a launch, of them those that its session agent says, and the most characters of one; a runtime cuts more. */
export const podWarnings = { count: 24, ofAgent: 10, length: 400 } as const;

/** The most bytes of the reported timings as JSON; a runtime cuts larger ones. */
export const observedTimingsBytes = 1_024;

const failure = {
	code: { ...text, max: observedLengths.code },
	message: { ...text, max: observedLengths.message },
} as const;

const observation = {
	phase: { type: "enum", values: observedPhases },
	pod_name: { ...text, max: observedLengths.pod_name, optional: true },
	address: { ...text, max: observedLengths.address, optional: true, description: "Base URL of the session agent" },
	failure: { type: "object", props: failure, optional: true },
	waiting: {
		type: "object",
		props: failure,
		optional: true,
		description: "Why the launch does not go on for now; it may pass by itself",
	},
	timings: { ...textMap, max_bytes: observedTimingsBytes, default: {} },
	agent_title: { ...text, max: observedLengths.agent_title, optional: true },
	progress: { ...text, max: observedLengths.progress, optional: true, description: "How far the clones are" },
	clones: {
		type: "array",
		max: maxObservedClones,
		items: { type: "object", props: { path: { ...text, max: observedLengths.path }, ms: count } },
		optional: true,
		description: "Durations of the clones of this launch, by the repository's folder",
	},
	branches: {
		type: "array",
		max: maxObservedClones,
		items: {
			type: "object",
			props: { path: { ...text, max: observedLengths.path }, branch: { ...text, max: observedLengths.branch } },
		},
		optional: true,
		description: "Branches of the repositories whose launch names none, by the repository's folder",
	},
	warnings: {
		type: "array",
		max: podWarnings.count,
		items: { ...text, max: podWarnings.length },
		optional: true,
		description: "What does not work in this launch",
	},
	purged: { type: "boolean", default: false, description: "Whether the records of the session were removed too" },
} as const;
export type Observation = Output<typeof observation>;

/** The failure of a pod that ended although nobody asked it to, and that left no reason. */
export const podLost: Failure = { code: "POD_LOST", message: statusReasons.POD_LOST[0] };

/** The longest delay of a pass in milliseconds. A later due time was written before the clock was set back. */
export const maxDueMs = 60_000;

const passReport = {
	id,
	fence: count,
	generation: { ...count, description: "Launch that was observed" },
	observed: { type: "object", props: observation },
	due_in_ms: { ...count, max: maxDueMs },
} as const;
export type PassReport = Output<typeof passReport>;

/** The most bytes of the passes under way as JSON: those of 64 owners with the longest ids. */
const underWayBytes = 524_288;

const expectation = { id, generation: count, desired: claim.desired } as const;
/** The desired state of one session's pods at the moment of the request. */
export type Expectation = Output<typeof expectation>;

export const sessionWork = defineContract("session-work", {
	claim_due: {
		access: "system",
		makes_room: true,
		summary: "Claim sessions that need a pass; each is leased for 15 s, and only the newest fence may report",
		params: {
			limit: { type: "number", integer: true, min: 1, max: 64 },
			ids: {
				type: "array",
				max: 64,
				items: id,
				optional: true,
				description: "Only these sessions, whether due or not, unless they are leased",
			},
			starting_per_owner: {
				...count,
				min: 1,
				optional: true,
				description: "Sessions of one owner that start at a time; the others stay due. Default no bound",
			},
			passes_per_owner: {
				...count,
				min: 1,
				optional: true,
				description:
					"Sessions of one owner that the pod manager works on at a time; the others stay due. Default no bound",
			},
			under_way: {
				type: "record",
				key: { type: "string" },
				value: count,
				max_bytes: underWayBytes,
				default: {},
				description:
					"The sessions that it works on already, by the key of their owner (personKey of base/principal.ts)",
			},
			host: hostField,
		},
		returns: { type: "array", items: { type: "object", props: claim } },
	},
	observe: {
		access: "system",
		makes_room: true,
		summary: "Report a pass and release the lease; false when the fence is old",
		params: passReport,
		returns: { type: "boolean" },
	},
	model_of: {
		access: "system",
		summary: "The name of the model that a session has now; empty: the default of the installation",
		params: { id },
		returns: text,
	},
	launch_of: {
		access: "system",
		summary: "The launch that a session has now, for the pod of this generation; null when it must not run any more",
		params: { id, generation: count },
		returns: { type: "object", props: claim, nullable: true },
	},
	with_credential: {
		access: "system",
		summary: "Sessions that may have a pod and got a credential, of one owner or of a tenant; at most 100",
		params: {
			tenant: named,
			owner: { ...named, optional: true },
			credential_name: named,
			connections: {
				type: "array",
				max: 500,
				items: { type: "object", props: { id: named, owner: named, unnamed: { type: "boolean" } } },
				default: [],
			},
		},
		returns: { type: "array", items: { type: "object", props: affectedSession } },
	},
	expected: {
		access: "system",
		summary: "All sessions including tombstones, oldest first; sessions that are created meanwhile may be missing",
		params: {
			ids: {
				type: "array",
				max: 500,
				items: id,
				optional: true,
				description: "Only those of these sessions that exist, as one page",
			},
			after: { ...text, max: 300, optional: true, description: "`next` of the preceding page" },
			limit: { type: "number", integer: true, min: 1, max: 500 },
			host: hostField,
		},
		returns: {
			type: "object",
			props: {
				sessions: { type: "array", items: { type: "object", props: expectation } },
				next: { ...text, optional: true },
			},
		},
	},
});

/**
 * A session may be due. Every pod manager hears it, because only that of its host can act. One that misses the event finds
 * the session at its next poll.
 */
export const sessionDue = defineEvent("session.due", schema({ id }));
