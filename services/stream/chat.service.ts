/** The chats on the bus: it offers no action; it is a service so that it starts and ends with the others. */
import type { Service, ServiceSchema } from "moleculer";
import type { ChatBridge } from "./chat/chat-bridge.ts";

export function chatService(chats: ChatBridge): ServiceSchema {
	return {
		name: "chat",

		async started(this: Service) {
			chats.start(this.broker);
		},

		stopped: async () => chats.stop(),
	};
}
