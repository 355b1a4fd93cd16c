/** A fence of the store port: a document that one writer has claimed, and without which none of its writes happens. */
import type { Collection, Row } from "../collection.ts";

/** The document as its writer has left it. */
export interface Fence {
	readonly collection: Collection;
	readonly id: string;
	/** The values that it has as long as the writer may write. */
	readonly equals: Row<Record<string, "integer" | "text">>;
}

/** The document of a fence is not as it was: the write was not done, and no later one is. */
export class FenceLostError extends Error {
	override readonly name = "FenceLostError";

	constructor({ collection, id }: Fence) {
		super(`Cannot write: "${id}" of "${collection.name}" has changed`);
	}
}
