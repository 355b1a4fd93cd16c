/**
 * The frames of the pod's WebSocket, path `/session`: one JSON object per text frame (docs/chat.md). Unknown types are
 * ignored by both sides. Every connection shows `Authorization: Bearer <platform key>`; those the platform makes on
 * behalf of a person are bridged as they are.
 */
import type { PermissionAnswered, PermissionRequest } from "../contracts/session-control.ts";
import type { PermissionMode } from "../contracts/session-resource.ts";
import type { ConversationTurn } from "../contracts/sessions.ts";

/** The message is in the pod's queue on disk. Goes to every connection. */
export interface UserConfirmedFrame {
	type: "user_confirmed";
	id: string;
	content: string;
}

/** The pod cannot use a frame, or a turn has failed; `id` names the message it belongs to, when there is one. */
export interface ErrorFrame {
	type: "error";
	content: string;
	/** The same sentence. */
	error: string;
	id?: string;
}

/** The first frame of a connection. */
export interface GreetingFrame {
	type: "system";
	content: string;
	permission_mode: PermissionMode;
}

/** Part of an answer, in the form of the contract: named as the events of an agent's stream, with free members. */
export interface StreamFrame {
	type:
		| "message_start"
		| "content_block_start"
		| "content_block_delta"
		| "content_block_stop"
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
	| StreamFrame
	| { type: "conversation_history"; turns: ConversationTurn[]; truncated: boolean }
	| { type: "available_commands"; slash_commands: string[]; skills: string[]; commands: object[] }
	| { type: "context"; used: number; size: number }
	| ({ type: "control_request" } & PermissionRequest)
	| ({ type: "permission_answered" } & PermissionAnswered)
	| { type: "permission_mode"; mode: PermissionMode }
	| { type: "model"; model: string }
	| { type: "interrupted"; status: string };

/** Largest frame in bytes, either way. */
export const maxFrameBytes = 1_048_576;

/** Path of a connection that follows the chat in this platform's own form of frames. */
export const chatPath = "/session";

/** Path of a connection that follows it in the form that the contract's own clients read. */
export const contractChatPath = "/session?dialect=contract";

/** Path of a connection that is told of its own messages only: confirmations and refusals. */
export const confirmationsPath = "/session?only=confirmations";
