/**
 * The contract of commands from a session's owner to its agent other than messages: interrupt, permit, refuse. The
 * gateway also gets the address of the pod here.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { absentOrNull, freeForm, nullableText, sessionId, text, time } from "../field-rules.ts";

/**
 * The answers to a permission request. `allow` and `deny` hold for this request; the coding agent remembers
 * `allowForever`, if it offers that.
 */
export const permissionBehaviors = ["allow", "deny", "allowForever"] as const;
export type PermissionBehavior = (typeof permissionBehaviors)[number];

const permissionOption = {
	option_id: text,
	name: text,
	kind: { ...text, description: "`allow_once`, `allow_always`, `reject_once` or `reject_always`" },
} as const;

export const permissionRequest = schema({
	request_id: text,
	tool: { ...text, description: "Kind of the tool: `edit`, `execute`, …; `other` when the agent does not say" },
	title: { ...text, description: "Description by the agent of what it wants to do" },
	input: { ...freeForm, description: "Arguments of the tool; long texts are shortened" },
	options: { type: "array", items: { type: "object", props: permissionOption } },
	choice: {
		type: "boolean",
		description: "Whether the agent asks a question: an answer other than `deny` has to name an `option_id`",
	},
	created_at: time,
});
export type PermissionRequest = Output<typeof permissionRequest>;

/**
 * An answered permission request. `option_id` is null when no option was chosen: the request was withdrawn, or refused
 * without an option for that.
 */
export const permissionAnswered = schema({
	request_id: text,
	option_id: nullableText,
});
export type PermissionAnswered = Output<typeof permissionAnswered>;

const modeName = { id: { type: "string", max: 100 }, name: { type: "string", max: 100 } } as const;

/** The coding agent's own mode, and those that it offers. */
export const agentMode = schema({
	...modeName,
	modes: { type: "array", items: { type: "object", props: modeName } },
});
export type AgentMode = Output<typeof agentMode>;

/**
 * The outcomes of an interrupt. `interrupting`: the agent was asked and has not stopped yet; 10 s after the request it
 * is ended and started again.
 */
export const interruptStates = ["interrupted", "interrupting", "idle"] as const;
export type InterruptState = (typeof interruptStates)[number];

export const interruptResult = schema({
	session_id: text,
	status: { type: "enum", values: interruptStates, description: "`idle`: there was nothing to interrupt" },
});
export type InterruptResult = Output<typeof interruptResult>;

/** The repository whose work is pushed, and the commit and the branch for it. */
export const publishedPart = schema({
	path: {
		...text,
		max: 1_024,
		description: "Folder of the repository below the workspace; empty: the workspace itself",
	},
	url: { ...text, min: 1, max: 2_048, description: "The repository at that place" },
	branch: { ...text, min: 1, max: 200, description: "The branch at the remote" },
	message: { ...text, min: 1, max: 20_000, description: "Of the commit, if there is something to commit" },
});

/** A session's work after it was pushed. */
export const publishedWork = schema({
	url: text,
	branch: text,
	sha: { ...text, description: "Full name of the commit that the branch has now" },
	committed: { type: "boolean", description: "Whether there was something to commit" },
});
export type PublishedWork = Output<typeof publishedWork>;

const chatAddress = schema({
	generation: { type: "number", integer: true, min: 1 },
	address: { ...text, description: "Base URL of the pod" },
});

export const sessionControl = defineContract("session-control", {
	interrupt: {
		rest: "POST /sessions/:session_id/interrupt",
		summary: "Interrupt the turn under way; later messages are answered next",
		params: sessionId,
		returns: { type: "object", props: interruptResult },
		errors: [404, 409, 502],
		idempotent: true,
	},
	permissions: {
		rest: "GET /sessions/:session_id/permissions",
		summary: "Open permission requests of the agent, oldest first",
		params: sessionId,
		returns: { type: "array", items: { type: "object", props: permissionRequest } },
		errors: [404, 409, 502],
	},
	answer_permission: {
		rest: "POST /sessions/:session_id/permissions/:request_id",
		summary: "Allow or deny a permission request; the same answer may be repeated",
		example: { behavior: "allow" },
		params: {
			...sessionId,
			request_id: { type: "string", min: 1, max: 100 },
			behavior: { type: "enum", values: permissionBehaviors, ...absentOrNull },
			option_id: {
				type: "string",
				min: 1,
				max: 200,
				...absentOrNull,
				description: "One of the request's own options; has precedence over `behavior`",
			},
		},
		returns: { type: "object", props: permissionAnswered },
		errors: [400, 404, 409, 502],
		idempotent: true,
	},
	mode: {
		rest: "GET /sessions/:session_id/mode",
		summary: "The coding agent's own mode, such as planning, and those that it offers; empty: it has none",
		params: sessionId,
		returns: { type: "object", props: agentMode },
		errors: [404, 409, 502],
	},
	set_mode: {
		rest: "PUT /sessions/:session_id/mode",
		summary: "Choose one of the coding agent's own modes, until the permission mode is set or the agent starts again",
		params: { ...sessionId, mode: { type: "string", min: 1, max: 100, description: "Id of one of its modes" } },
		example: { mode: "plan" },
		returns: { type: "object", props: agentMode },
		errors: [400, 404, 409, 502],
		idempotent: true,
	},
	publish: {
		summary:
			"Commit the work of a running session and push it to a branch, without force; for the session's owner only",
		params: {
			...sessionId,
			...publishedPart,
			author: {
				type: "object",
				props: { name: { ...text, max: 1_000 }, email: { ...text, max: 1_000 } },
				optional: true,
			},
			credential: {
				type: "object",
				props: { username: { ...text, max: 4_096 }, password: { ...text, max: 4_096 } },
				optional: true,
				description: "For the host of the repository and this push only; the session's own ones have precedence",
			},
		},
		returns: { type: "object", props: publishedWork },
		errors: [404, 409, 502],
		timeout: 95_000,
	},
	chat: {
		summary: "Address of a running session's pod for the bridge of the gateway; for the session's owner only",
		params: sessionId,
		returns: { type: "object", props: chatAddress },
		errors: [404, 409],
	},
});
