/** Ids of events with a key that tests know, and their readable form `<epoch>-<number>`. */
import { EventIds } from "#services/stream/event-ids.ts";

export const testIds = new EventIds(Buffer.alloc(32, 7));

/** Returns the id that stands for `<epoch>-<number>`; any other text is returned as it is. */
export function sealedId(readable: string): string {
	const [, epoch, seq] = /^([^-]+)-(\d+)$/.exec(readable) ?? [];
	return epoch === undefined ? readable : testIds.ofEvent({ epoch, seq: Number(seq) });
}

/** Returns `<epoch>-<number>` of an id; any text that is none is returned as it is. */
export function readableId(id: string): string {
	const { epoch, seq } = testIds.read(id);
	return epoch === "" ? id : `${epoch}-${seq}`;
}
