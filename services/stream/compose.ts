/** Composes the event stream and the chats, and offers them to the gateway of the same process. */
import { sessionControl } from "#shared/contracts/sessions/session-control.ts";
import { stream as contract } from "#shared/contracts/stream.ts";
import type { Compose } from "#host/platform.ts";
import { ChatBridge } from "./chat/chat-bridge.ts";
import { chatService } from "./chat.service.ts";
import { EventIds } from "./event-ids.ts";
import { EventStream } from "./event-stream.ts";
import { streamService } from "./stream.service.ts";

export const compose: Compose = async ({ config, key, rawHandlers, upgradeHandlers, readiness, metrics }) => {
	const { heartbeat_seconds, max_clients } = config.stream;
	const stream = new EventStream({
		heartbeatMs: heartbeat_seconds * 1_000,
		maxClients: max_clients,
		ids: new EventIds(key.streamSeal()),
		metrics,
	});
	rawHandlers.set(contract.actions.open.name, (...exchange) => stream.open(...exchange));
	const chats = new ChatBridge({ key, hosts: config.pods.agent_hosts });
	upgradeHandlers.set(sessionControl.actions.chat.name, (upgrade) => chats.open(upgrade));
	readiness.set("event log", () => stream.check());
	return {
		services: [streamService(stream), chatService(chats)],
		async drain() {
			await Promise.all([stream.drain(), chats.drain()]);
		},
	};
};
