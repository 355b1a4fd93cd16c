/** The client of one ACP session, as the parts of the agent see it. */
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";

/** The part of ACP that the agent calls on its client. */
export interface AcpClient {
	update: (update: SessionUpdate) => void;
	/** Resolves with the client's answer, unchanged. Rejects when the client cannot be asked. */
	requestPermission(request: Omit<RequestPermissionRequest, "sessionId">): Promise<JsonObject>;
	/** The client said when it connected that it shows notices. */
	readonly showsNotices: boolean;
}
