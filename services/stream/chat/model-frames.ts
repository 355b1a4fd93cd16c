/**
 * The frame `set_model` of a chat: the platform changes the session's model, so that the record has it and the pod gets
 * its terms from the platform.
 */
import { ServiceError } from "#shared/base/errors.ts";
import type { UpdatedSession } from "#shared/contracts/sessions/session-resource.ts";
import type { ErrorFrame } from "#shared/wire/pod/frames.ts";

/** Changes the model of the chat's session, as the client. */
export type ChangeModel = (model: string) => Promise<UpdatedSession>;

/** Longer frames are of another type. */
const maxBytes = 1_024;

/** Returns the model that the frame names; undefined for every other frame. Most frames are not parsed. */
export function modelNamedBy(frame: Buffer): string | undefined {
	if (frame.length > maxBytes || !frame.includes('"set_model"')) return undefined;
	try {
		const read: unknown = JSON.parse(frame.toString());
		return isNaming(read) ? read.model : undefined;
	} catch {
		return undefined;
	}
}

function isNaming(frame: unknown): frame is { model: string } {
	if (typeof frame !== "object" || frame === null || !("type" in frame) || !("model" in frame)) return false;
	return frame.type === "set_model" && typeof frame.model === "string" && frame.model !== "";
}

/**
 * Resolves to the frame for the client who named the model; nothing when the pod tells all clients; `unknown` when the
 * catalogue does not have the model, which may then be a name of the agent's own.
 */
export async function answerTo(change: ChangeModel, model: string): Promise<ErrorFrame | "unknown" | undefined> {
	try {
		const { applies } = await change(model);
		return applies.model === "now"
			? undefined
			: errorFrame(`The model "${model}" has an effect from the session's next start`);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return error.type === "MODEL_UNKNOWN" ? "unknown" : errorFrame(error.message);
	}
}

function errorFrame(sentence: string): ErrorFrame {
	return { type: "error", content: sentence, error: sentence, refused: "set_model" };
}
