/** The client of one ACP session, as the agent's parts see it. */
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import type { JsonObject } from "../io/json-object.ts";

export interface AcpClient {
	update: (update: SessionUpdate) => void;
	/** The answer as it came. Rejects when the client cannot be asked. */
	requestPermission(request: Omit<RequestPermissionRequest, "sessionId">): Promise<JsonObject>;
	/** It said that it shows notices. */
	readonly showsNotices: boolean;
}
