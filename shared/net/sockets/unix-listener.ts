/** Tells a Unix socket at which a living process listens from one that a process has left behind. */
import { once } from "node:events";
import { connect } from "node:net";

/** The failures of a connection that say that nobody listens. */
const nobody = ["ECONNREFUSED", "ENOENT"];
/** The listener has more connections waiting than it takes. */
const busy = "EAGAIN";

/**
 * Whether a process listens at the path, whose socket may be removed otherwise.
 * @throws {Error} when nothing can be told, for example because this process has no more open files: the socket may be in use.
 */
export async function hasListener(path: string): Promise<boolean> {
	const socket = connect({ path });
	try {
		await once(socket, "connect");
		return true;
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (nobody.includes(code)) return false;
		if (code === busy) return true;
		throw new Error(`Cannot tell whether a program listens at "${path}" (${code})`, { cause: error });
	} finally {
		socket.destroy();
	}
}
