/**
 * The frames of the pod's WebSocket with the path `/session`: one JSON object per text frame (docs/chat.md). Both sides
 * ignore unknown types. Every connection sends `Authorization: Bearer <platform key>`. Connections that the platform
 * opens for a person are bridged unchanged.
 */
import { bound } from "#shared/base/bounds.ts";
import type { AgentMode, PermissionAnswered, PermissionRequest } from "#shared/contracts/sessions/session-control.ts";
import type { PermissionMode } from "#shared/contracts/sessions/session-resource.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";

/** Confirms that the message is in the pod's queue on disk. Every connection receives it. */
export interface UserConfirmedFrame {
	type: "user_confirmed";
	id: string;
	content: string;
}

/** Says that the pod cannot use a frame or that a turn has failed; `id` names the message concerned, if any. */
export interface ErrorFrame {
	type: "error";
	content: string;
	/** The same sentence. */
	error: string;
	id?: string;
	/** The type of the client's frame that cannot be used; absent when a turn has failed. */
	refused?: string;
}

/** Says in the contract's dialect that the pod cannot use a frame, beside an answer that goes on. */
export interface RefusalFrame {
	type: "system";
	subtype: "refused";
	content: string;
	id?: string;
}

/** The first frame of a connection. */
export interface GreetingFrame {
	type: "system";
	content: string;
	permission_mode: PermissionMode;
}

/**
 * A part of an answer in the form of the contract: it is named like the events of an agent's stream and has free
 * members.
 */
export interface StreamFrame {
	type:
		| "message_start"
		| "content_block_start"
		| "content_block_delta"
		| "content_block_stop"
		| "message_delta"
		| "message_stop"
		| "tool_output"
		| "plan"
		| "user"
		| "assistant"
		| "result";
	[member: string]: unknown;
}

export type PodFrame =
	| UserConfirmedFrame
	| ErrorFrame
	| GreetingFrame
	| RefusalFrame
	| StreamFrame
	| { type: "conversation_history"; turns: ConversationTurn[]; truncated: boolean }
	| { type: "available_commands"; slash_commands: string[]; skills: string[]; commands: object[] }
	| { type: "context"; used: number; size: number }
	| ({ type: "mode" } & AgentMode)
	| ({ type: "control_request" } & PermissionRequest)
	| ({ type: "permission_answered" } & PermissionAnswered)
	| { type: "permission_mode"; mode: PermissionMode }
	| { type: "model"; model: string }
	| { type: "interrupted"; status: string };

/** Largest frame in bytes, either way. */
export const maxFrameBytes = bound.frameBytes;

/** The path of a connection that follows the chat in the platform's own form of frames. */
export const chatPath = "/session";

/** The path of a connection that follows the chat in the form that the contract's own clients read. */
export const contractChatPath = "/session?dialect=contract";

/** The path of a connection that receives confirmations and refusals of its own messages only. */
export const confirmationsPath = "/session?only=confirmations";

/**
 * Says in the contract's dialect that a client's frame cannot be used. The contract's clients take every `error` for the
 * end of the answer, and wait for an answer to each message that they send. So a refusal is an `error` only if it
 * concerns a message that nothing else will answer.
 * @param isInTurn Whether the agent works on an answer; it matters for messages only.
 */
export function refusalInContractDialect(frame: ErrorFrame, isInTurn = false): ErrorFrame | RefusalFrame {
	const { refused, content, id } = frame;
	if (refused === undefined || (refused === "user" && !isInTurn)) return frame;
	return { type: "system", subtype: "refused", content, ...(id !== undefined && { id }) };
}
