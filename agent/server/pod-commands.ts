/** The commands of the platform over HTTP, each a `POST` with a JSON object. */
import {
	type InterruptResult,
	type PermissionAnswered,
	permissionBehaviors,
} from "#shared/contracts/session-control.ts";
import type { Commands } from "./agent-server.ts";
import type { Dialogue } from "../conversation/dialogue.ts";
import { type JsonObject, textOf } from "../io/json-object.ts";
import type { Permissions } from "../coding-agents/permissions.ts";

/** The parts of the pod that commands use. */
export interface CommandedPod {
	readonly sessionId: string;
	readonly dialogue: Pick<Dialogue, "interrupt">;
	readonly permissions: Permissions;
}

export function podCommands({ sessionId, dialogue, permissions }: CommandedPod): Commands {
	return {
		"/api/interrupt": async (): Promise<InterruptResult> => ({
			session_id: sessionId,
			status: await dialogue.interrupt(),
		}),
		"/api/permissions": (body) => answer(permissions, body),
	};
}

/** @throws the errors of Permissions.answer(). */
function answer(permissions: Permissions, { request_id, behavior, option_id }: JsonObject): PermissionAnswered {
	return permissions.answer(textOf(request_id) ?? "", {
		behavior: permissionBehaviors.find((known) => known === behavior),
		option_id: textOf(option_id),
	});
}
