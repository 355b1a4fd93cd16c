/** Chooses the id of a request for answers and logs: the client's own one if it is valid, or a new one. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const clientId = /^[\w-]{1,64}$/;

export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
	const given = headers["x-request-id"];
	return typeof given === "string" && clientId.test(given) ? given : randomUUID();
}
