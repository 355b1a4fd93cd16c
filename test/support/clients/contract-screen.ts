/** What a client of the contract has on its screen: blocks that are filled by deltas alone. */
import type { PodFrame } from "#shared/pod/frames.ts";

type Frame = Record<string, unknown>;

export interface ShownBlock {
	/** Of a tool. */
	name?: unknown;
	text: string;
}

/** @param frames Of one turn. */
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
