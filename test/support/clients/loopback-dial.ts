/** Connections of tests: they reach this machine only, whatever an egress proxy admits. */
import { connect, Socket } from "node:net";
import type { Dial } from "#shared/net/egress/egress-connections.ts";

/** @param others Gets the other addresses to which a connection would have gone. */
export function loopbackDial(others: string[] = []): Dial {
	return (to) => {
		if (to.host.startsWith("127.")) return connect(to);
		others.push(to.host);
		return new Socket().destroy(new Error("Tests connect to this machine only"));
	};
}
