/** Computes the screen of a client of the contract: blocks that only deltas fill. */
import type { PodFrame } from "#shared/wire/pod/frames.ts";

type Frame = Record<string, unknown>;

export interface ShownBlock {
	/** The name of a tool. */
	name?: unknown;
	text: string;
}

/** Returns the blocks. @param frames The frames of one turn. */
export function screenOf(frames: readonly PodFrame[]): ShownBlock[] {
	const blocks: ShownBlock[] = [];
	for (const frame of frames as readonly Frame[]) {
		const index = Number(frame["index"]);
		const { name } = Object(frame["content_block"]) as Frame;
		if (frame["type"] === "content_block_start") blocks[index] = { text: "", ...(name !== undefined && { name }) };
		const { text, thinking, partial_json } = Object(frame["delta"]) as Frame;
		const block = blocks[index];
		const grown = text ?? thinking ?? partial_json;
		if (block && typeof grown === "string") block.text += grown;
	}
	return blocks;
}
