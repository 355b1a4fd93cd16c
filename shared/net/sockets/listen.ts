/**
 * Lets a server listen. Node tells a connection that cannot be accepted as an error of the server, for example while the machine has
 * no more open files. An error that nobody hears would end the process with all that it does for others.
 */
import { once } from "node:events";
import type { ListenOptions, Server } from "node:net";
import { monotonic } from "#shared/base/clock.ts";

/** The shortest time between two warnings of one server, in milliseconds: as many connections fail as somebody begins. */
const quietMs = 60_000;

/**
 * Resolves when the server listens. Later errors are told as warnings of the process, and the server goes on.
 * @throws {Error} when it cannot listen.
 */
export async function listen(server: Server, place: ListenOptions): Promise<void> {
	const onListening = () => server.on("error", warning());
	server.once("listening", onListening);
	server.listen(place);
	try {
		await once(server, "listening");
	} finally {
		// The same server may try again.
		server.off("listening", onListening);
	}
}

/** Returns a listener of one server's errors. */
function warning(): (error: Error) => void {
	let quietUntil = -Infinity;
	return ({ message }) => {
		if (monotonic() < quietUntil) return;
		quietUntil = monotonic() + quietMs;
		process.emitWarning(`A connection was not accepted: ${message}`);
	};
}
