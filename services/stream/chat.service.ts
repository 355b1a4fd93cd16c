/** Runs the chats as a service without actions, so that they start and end with the other services. */
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
