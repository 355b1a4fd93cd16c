/**
 * The pod's WebSocket, path `/session`: one JSON object per text frame. These are the frames the platform itself uses;
 * unknown types are ignored by both sides. Every connection shows `Authorization: Bearer <platform key>`.
 */

/** A message for the agent. The id makes it idempotent: a second one with the same id is confirmed and not queued. */
export interface UserFrame {
	type: "user";
	id: string;
	content: string;
}

/** The message is in the pod's queue on disk. Goes to every connection. */
export interface UserConfirmedFrame {
	type: "user_confirmed";
	id: string;
	content: string;
}

/** The pod cannot use a frame; `id` names the message it belongs to, when there is one. */
export interface ErrorFrame {
	type: "error";
	content: string;
	id?: string;
}

export type PodFrame = UserConfirmedFrame | ErrorFrame | { type: "system"; content: string };

/** Largest frame in bytes. */
export const maxFrameBytes = 1_048_576;
