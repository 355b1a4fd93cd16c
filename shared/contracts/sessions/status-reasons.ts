/**
 * The reasons of statuses, a row each: the code, a sentence, the next step of a person, and the page of docs that says more. The
 * codes with which a pod fails, the labels of `atelier_session_failures_total` and the table in docs/session-life.md follow from it.
 */

/** The sentence is the message of a session for which nobody has a more exact one. No text ends with a period. */
export type Reason = readonly [sentence: string, remedy: string, page?: string];

const late = "Look at the load and the log, and start the session";

/** The reasons of statuses that go on. */
const passing = {
	NOT_STARTED: ["The session has not been started yet", "Start it"],
	LAUNCH_REQUESTED: ["The session waits for its pod", "Wait; after 60 s it fails with `START_TIMEOUT`"],
	LAUNCH_WAITS: ["Other sessions of its owner are starting", "Wait for its turn"],
	POD_PREPARING: ["The pod prepares the workspace and the agent", "Wait"],
	CLONING: ["Repositories are being cloned; the message says how far", "Wait"],
	POD_READY: ["The agent is ready", "Send a message"],
	BUDGET_EXCEEDED: ["A limit of cost is reached, so that no turn begins", "Raise the limit", "books"],
	STOP_REQUESTED: ["The pod is being ended", "Wait"],
	ARCHIVED: ["The session is archived", "Restore it, then start it"],
	DELETED: ["The session is deleted", "Make another one; a kept workspace can be used again", "workspaces"],
} as const satisfies Record<string, Reason>;

/**
 * The reasons for which a place refuses a pod, or for which a pod waits. A session fails with a final refusal at once, and with
 * another one when its time to start is over meanwhile.
 */
const ofPods = {
	IMAGE_PULL_FAILED: [
		"The image of the session is not there and cannot be had",
		"Correct the name of the image, or ask the operator to provide it",
	],
	IMAGE_PULLING: [
		"The image of the session is being pulled",
		"Wait; an image that is large, or a slow registry, takes minutes",
	],
	IMAGE_INVALID: [
		"The name of the image is not one that an image can have",
		"Correct it in the request or the template",
	],
	CONTAINER_FAILED: [
		"The container of the session could not be started",
		"Use an image for this machine's processor, in which the message's program exists",
	],
	VOLUME_MOUNT_FAILED: [
		"The folders of the session could not be given to its pod",
		"Ask the operator to look whether the data folder is there and has the same path for the engine",
	],
	POD_INVALID: [
		"The pod cannot be made as it was asked for; the message names the setting",
		"Correct the resources in the request or the template",
	],
	POD_FORBIDDEN: [
		"A rule of the operator forbids the pod; the message names what",
		"Ask the operator, or ask for what is allowed",
	],
	UNSCHEDULABLE: ["No machine has what the session asks for", "Ask for less, or for a device that there is"],
	POD_CANNOT_REACH_PLATFORM: [
		"The pod runs and cannot reach the platform",
		"Ask the operator to look at the log of the pod manager",
	],
	ENGINE_UNREACHABLE: ["The container engine does not answer", "Wait, or ask the operator to start it"],
	WORKSPACE_HELD: [
		"The workspace is still held by an older pod, which does not end",
		"Wait, or ask the operator to end that pod",
	],
	WORKSPACE_PENDING: [
		"The cluster has not provided the volume of the workspace yet",
		"Wait, or ask the operator to look at the storage class",
	],
	QUEUED: ["The cluster's queue has not admitted the session yet", "Wait for its turn"],
	QUOTA_EXCEEDED: [
		"The quota of the sessions' namespace is used up",
		"Stop other sessions, or ask the operator for a larger quota",
	],
	NAMESPACE_ENDING: [
		"The namespace of the sessions is being deleted, or does not exist",
		"Ask the operator to make it again",
	],
	CLUSTER_UNREACHABLE: ["The API of the cluster does not answer", "Wait; running sessions go on meanwhile"],
} as const satisfies Record<string, Reason>;

/** The final ones, with which pods fail. A session whose pod has ended in order is `stopped`. */
const final = {
	POD_ENDED: ["The pod has ended; the workspace is kept", "Start the session, or read its history"],
	FAILED: ["The session failed", "Read its log, and start it"],
	BRANCH_UNKNOWN: [
		"A repository has no such branch; the message has a similar one",
		"Correct it, or name `base_branch`",
	],
	CLONE_FAILED: [
		"Git could not clone; the message has its words",
		"A private repository needs a credential",
		"credentials",
	],
	MOUNT_FAILED: ["A folder of the host cannot be used", "Name another folder", "workspaces"],
	WORKSPACE_FAILED: ["The workspace could not be made", "Look for a full disk, or for missing rights"],
	WORKSPACE_IN_USE: ["Another session has the workspace", "Archive or delete that session", "workspaces"],
	DISK_FULL: [
		"The workspace is larger than it may be or cannot be measured, or the disk is full or nearly so and the session grew most",
		"Start it and remove files, or delete it",
		"workspaces",
	],
	SETUP_FAILED: [
		"A setup script failed; the message has its last lines",
		"Correct it; all have 20 s less than `pods.setup_minutes`",
	],
	AGENT_START_FAILED: [
		"The coding agent could not be started",
		"Install what the message says is missing",
		"choosing-an-agent",
	],
	AGENT_LOST: ["The coding agent ended twice", "Read the log, and start the session"],
	AGENT_CRASHED: ["The session agent ended before it could say why", "Start the session; if it recurs, add memory"],
	PLATFORM_LOST: ["The platform could not be reached for too long", "Start the session; nothing that it did is lost"],
	POD_LOST: ["The session's pod ended without being asked to", "Start the session"],
	OUT_OF_MEMORY: [
		"The session used more memory than it may have",
		"Give it more with `resource_config.memory`, and start it",
	],
	NODE_SHUTDOWN: [
		"The machine, its container engine or the session's container was stopped from outside",
		"Start the session; its workspace is kept",
	],
	NODE_DRAINED: ["The machine of the session is being emptied", "Start the session, to go on with another machine"],
	NODE_LOST: [
		"The machine of the session does not answer any more",
		"Start the session, to go on with another machine when its volume is free",
	],
	NODE_REFUSED: [
		"The machine that was chosen for the session did not take it",
		"Start the session; another machine may be chosen",
	],
	PREEMPTED: ["The cluster needed the room for something more important", "Start the session when there is room"],
	EVICTED: [
		"The machine of the session was short of disk or memory and ended the session",
		"Ask for what the session needs with `resource_config`, and start it",
	],
	TIME_LIMIT: ["The session ran as long as its template allows", "Start the session"],
	SESSION_LOCKED: ["A foreign process has locked the file that the message names", "End that process"],
	OWNER_GONE: [
		"The owner of this session is no member of its tenant any more; it can be read, archived and deleted",
		"Add the person again, who then starts it",
		"identity",
	],
	HOST_AWAY: ["The host that has its files is away", "Start that host", "several-processes"],
	START_TIMEOUT: ["The pod did not begin in time", late],
	PROVISION_TIMEOUT: [
		"The launch took longer than `pods.setup_minutes`",
		`${late}, or raise the limit`,
		"configuration",
	],
	STOP_TIMEOUT: ["The pod did not end in time", late],
} as const satisfies Record<string, Reason>;

export const statusReasons = { ...passing, ...ofPods, ...final };
export const failureCodes: ReadonlySet<string> = new Set([...Object.keys(ofPods), ...Object.keys(final)]);

export type ReasonCode = keyof typeof statusReasons;
/** A pod of another version may report others. */
export type FailureCode = keyof typeof ofPods | keyof typeof final;

/** The codes with which a session agent explains its own end. All others are words of the platform, or of the place where pods run. */
const ofAgents = [
	"BRANCH_UNKNOWN",
	"CLONE_FAILED",
	"MOUNT_FAILED",
	"WORKSPACE_FAILED",
	"SETUP_FAILED",
	"AGENT_START_FAILED",
	"AGENT_LOST",
	"AGENT_CRASHED",
	"PLATFORM_LOST",
] as const satisfies FailureCode[];
export type AgentFailureCode = (typeof ofAgents)[number];
export const agentFailureCodes: ReadonlySet<string> = new Set(ofAgents);

/** A failure in the platform's or the pod's own words. */
export interface Failure {
	readonly code: FailureCode;
	/** A sentence for the user, without secrets. */
	readonly message: string;
}
