/** Puts the event stream together, and offers it to the gateway of the same process. */
import { stream as contract } from "#shared/contracts/stream.ts";
import type { Compose } from "#shared/platform.ts";
import { EventStream } from "./event-stream.ts";
import { streamService } from "./stream.service.ts";

export const compose: Compose = async ({ config, tokens, rawHandlers, readiness }) => {
	const { heartbeat_seconds, max_clients } = config.stream;
	const stream = new EventStream({ tokens, heartbeatMs: heartbeat_seconds * 1_000, maxClients: max_clients });
	rawHandlers.set(contract.actions.open.name, (...exchange) => stream.open(...exchange));
	readiness.set("event log", () => stream.check());
	return { services: [streamService(stream)], drain: () => stream.drain() };
};
