/**
 * The last stage of a response: its caller. When the caller has left, the rest is still read for a short time, in
 * order to learn the usage, and discarded.
 */
import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";

/** The bound on a response that is read without a caller. */
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

/** Calls back when the written bytes were sent, or when the caller has left. */
function onceOpen(response: ServerResponse, done: () => void): void {
	const open = (): void => {
		response.off("drain", open).off("finish", open).off("close", open);
		done();
	};
	response.once("drain", open).once("finish", open).once("close", open);
}
