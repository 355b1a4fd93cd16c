/**
 * The end of an answer's way: its caller. When the caller has left, the rest is read all the same for a short time, in
 * order to hear the usage, and goes nowhere.
 */
import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";

/** Of an answer that nobody reads any more. */
const maxUnreadBytes = 4_194_304;

export function callerOutlet(response: ServerResponse): Writable {
	let unread = 0;
	return new Writable({
		write(chunk: Buffer, _encoding, done) {
			if (response.destroyed) {
				unread += chunk.length;
				done(unread > maxUnreadBytes ? new Error("Too much of the answer is left") : null);
				return;
			}
			if (response.write(chunk)) done();
			else onceOpen(response, done);
		},
		final(done) {
			if (response.destroyed) done();
			else onceOpen(response.end(), done);
		},
	});
}

/** Calls back when what was written has gone, or nobody is there any more. */
function onceOpen(response: ServerResponse, done: () => void): void {
	const open = (): void => {
		response.off("drain", open).off("finish", open).off("close", open);
		done();
	};
	response.once("drain", open).once("finish", open).once("close", open);
}
