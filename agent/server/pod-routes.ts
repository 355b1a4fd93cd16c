/** The answers of the pod over HTTP. */
import type { AgentMode } from "#shared/contracts/sessions/session-control.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";
import type { Routes } from "./agent-server.ts";
import type { Dialogue } from "../conversation/dialogue.ts";
import type { Comparison } from "../workspace/diff/workspace-diff.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { Permissions } from "../coding-agents/permissions.ts";
import { RequestError } from "./request-error.ts";

/** The parts of the pod that answers are made from. */
export interface Pod {
	sessionId: string;
	status: () => PodStatus;
	log: LogBuffer;
	dialogue: Dialogue;
	permissions: Permissions;
	/** The coding agent's own mode; undefined when it has none. */
	mode: () => AgentMode | undefined;
	/** The module is loaded with the first call. */
	diff: () => Promise<Comparison>;
}

const noMode: AgentMode = { id: "", name: "", modes: [] };
const defaultBase = "last-commit";

export function podRoutes({ sessionId, status, log, dialogue, permissions, mode, diff }: Pod): Routes {
	const base = (query: URLSearchParams): string => query.get("base") ?? defaultBase;
	return {
		"/health": () => ({ status: "healthy", session_id: sessionId }),
		"/ready": () => ({ ready: status().phase === "ready", session_id: sessionId }),
		"/status": status,
		"/api/logs": (query) => ({
			session_id: sessionId,
			...log.tail(Number.parseInt(query.get("lines") ?? "", 10) || undefined, query.get("level") ?? undefined),
		}),
		"/api/conversation/history": (query) => dialogue.history(query.get("before") ?? undefined),
		"/api/permissions": () => permissions.open,
		"/api/mode": () => mode() ?? noMode,
		"/api/diff": async (query) => (await diff()).file(fileOf(query), base(query)),
		"/api/diff/files": async (query) => (await diff()).files(base(query)),
		"/api/diff/patch": async (query) => (await diff()).patch(base(query)),
	};
}

function fileOf(query: URLSearchParams): string {
	const file = query.get("file");
	if (file === null) throw new RequestError(400, "The parameter `file` is missing");
	return file;
}
