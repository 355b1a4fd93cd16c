/** Never two agents of one session on this machine, whatever their generation: the kernel gives a name to one process only. */
import { createServer, type Server } from "node:net";

/**
 * Takes the session for as long as this process lives; undefined when another process has it. The name is an abstract
 * unix socket (unix(7)): it ends with the process, however that ends, and child processes do not inherit it.
 */
export function holdSession(installation: string, sessionId: string): Promise<Server | undefined> {
	const holder = createServer((visitor) => visitor.destroy());
	return new Promise((resolve, reject) => {
		holder.once("error", (error: NodeJS.ErrnoException) => {
			if (error.code === "EADDRINUSE") resolve(undefined);
			else reject(error);
		});
		holder.listen({ path: `\0atelier-${installation}-${sessionId}` }, () => resolve(holder));
	});
}
