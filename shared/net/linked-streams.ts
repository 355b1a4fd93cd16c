/** Passes on what two connections say to each other, and ends each with the other one. */
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The bytes that one has sent before it ended are still given to the other. */
export function linkStreams(one: Duplex, other: Duplex): void {
	for (const [from, to] of [
		[one, other],
		[other, one],
	] as const) {
		from.pipe(to);
		from.on("error", () => to.destroy());
		from.on("close", () => (to instanceof Socket ? to.destroySoon() : to.destroy()));
	}
}
