/** Tries whether a model server accepts connections, without a call that somebody would have to pay. */
import { once } from "node:events";
import { connect } from "node:net";
import { deadline } from "#shared/base/clock.ts";

/** The time for a connection to a local model server; nobody waits longer for it. */
const connectMs = 1_000;

/** Resolves to the error of the connection; undefined when there was one. */
export async function connectionFailure({ hostname, port, protocol }: URL): Promise<NodeJS.ErrnoException | undefined> {
	const signal = deadline(connectMs);
	const host = hostname.replace(/^\[(.*)\]$/, "$1");
	const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) });
	try {
		await once(socket, "connect", { signal });
		return undefined;
	} catch (error) {
		const late = Object.assign(new Error("There was no connection in time"), { code: "ETIMEDOUT" });
		return signal.aborted ? late : (error as NodeJS.ErrnoException);
	} finally {
		// An abort leaves an error to come.
		socket.on("error", () => {});
		socket.destroy();
	}
}
