/**
 * The intended differences from the contract: those of docs/decisions/0003 and no others. The test prints the table.
 */
import { credentialPatches } from "./credentials/credential-patches.ts";
import { chroniclePatches } from "./chronicle-patches.ts";
import { confidencePatches } from "./git/confidence-patches.ts";
import type { ContractEditor, Patch } from "./contract-editor.ts";
import { blueprintPatches } from "./blueprint-patches.ts";
import { identityPatches } from "./identity/identity-patches.ts";
import { oauthPatches } from "./oauth/oauth-patches.ts";
import { integrationPatches } from "./integrations/integration-patches.ts";
import { pullPatches } from "./git/pull-patches.ts";
import { repositoryPatches } from "./git/repository-patches.ts";
import { promptPatches } from "./prompt-patches.ts";
import { workspacePatches } from "./workspaces/workspace-patches.ts";
import { logLevels } from "#shared/wire/pod/log/log-tail.ts";
import type { JsonSchema } from "./json-schema.ts";
import { settingsPatches } from "./settings-patches.ts";
import { tokenPatches } from "./tokens/token-patches.ts";
import { trackerPatches } from "./tracker/tracker-patches.ts";

const text: JsonSchema = { type: "string" };
const time: JsonSchema = { type: "string", format: "date-time" };
const uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const statusReason: JsonSchema = {
	type: ["object", "null"],
	required: ["code", "message", "since", "deadline"],
	properties: { code: text, message: text, since: time, deadline: { type: ["string", "null"], format: "date-time" } },
};

const timings: JsonSchema = {
	type: "object",
	properties: Object.fromEntries(
		["requested", "claimed", "spawned", "cloned", "set_up", "ready"].map((step) => [step, time]),
	),
};

const nullableDollars: JsonSchema = { type: ["number", "null"], minimum: 0 };

const budget: JsonSchema = {
	type: "object",
	required: ["limit", "spent", "reserved", "paused", "reason"],
	properties: {
		limit: nullableDollars,
		spent: { type: "number", minimum: 0 },
		reserved: { type: "number", minimum: 0 },
		paused: { type: "boolean" },
		reason: {
			type: ["object", "null"],
			required: ["code", "message", "scope"],
			properties: {
				code: text,
				message: text,
				scope: { enum: ["session", "user", "tenant"] },
				spent: { type: "number", minimum: 0 },
				needed: { type: "number", minimum: 0 },
			},
		},
	},
};

const extraSessionMembers: Record<string, JsonSchema> = {
	status_reason: statusReason,
	timings,
	warnings: { type: "array", items: text },
	rev: { type: "integer", minimum: 1 },
	generation: { type: "integer", minimum: 0 },
	budget,
	agent: text,
	repositories: {
		type: "array",
		items: {
			type: "object",
			required: ["url", "branch", "path"],
			properties: { url: text, branch: text, path: text, cloned_ms: { type: "integer", minimum: 0 } },
			additionalProperties: false,
		},
	},
	resource_config: { type: "object" },
	terminal_restricted: { type: "boolean" },
	profile_name: { type: ["string", "null"] },
};

const sessionPatch = {
	operation: "every session",
	contract: "–",
	ours: "`status_reason`, `timings`, `warnings`, `rev`, `generation`, `budget`, `agent`, `repositories`, `resource_config`, `terminal_restricted`, `profile_name`, `task_type`, `workload_type`; events carry the whole session",
	apply(edit: ContractEditor) {
		Object.assign(edit.properties("SessionResponse"), {
			...extraSessionMembers,
			task_type: { type: ["string", "null"] },
			workload_type: { type: ["string", "null"] },
		});
		Object.assign(edit.properties("SseSession"), edit.properties("SessionResponse"));
	},
} satisfies Patch;

export const patches: readonly Patch[] = [
	sessionPatch,
	{
		operation: "every session",
		contract: "`pod_name` is `skuld-<id>`",
		ours: "`pod_name` is `session-<id>-g<n>`",
		apply(edit) {
			const podName = { type: ["string", "null"], pattern: `^session-${uuid}-g[1-9]\\d*$` };
			for (const schema of ["SessionResponse", "SseSession"]) edit.properties(schema)["pod_name"] = podName;
		},
	},
	{
		operation: "every session",
		contract: "`code_endpoint` from provisioning on",
		ours: "null: there is no editor",
		apply(edit) {
			const chat_endpoint = { type: ["string", "null"], pattern: `^wss?://[^/]+/s/${uuid}/session$` };
			for (const schema of ["SessionResponse", "SseSession"]) {
				Object.assign(edit.properties(schema), { chat_endpoint, code_endpoint: { type: "null" } });
			}
		},
	},
	{
		operation: "listSessions",
		contract: "`status` in lower case only",
		ours: "in either case",
		apply(edit) {
			const status = edit.operation("listSessions").parameters?.find(({ name }) => name === "status");
			if (status) status.schema = { enum: edit.sessionStatuses().flatMap((name) => [name, name.toUpperCase()]) };
		},
	},
	{
		operation: "listSessions",
		contract: "unbounded",
		ours: "`name`; `limit` (default 500), `cursor`, header `Link`",
		apply(edit) {
			edit.addQuery("listSessions", "limit", { type: "integer", minimum: 1, maximum: 500 });
			edit.addQuery("listSessions", "cursor", { type: "string" });
			edit.addQuery("listSessions", "name", text);
		},
	},
	{
		operation: "archiveStoppedSessions",
		contract: "unbounded",
		ours: "200 a call, `cursor`, header `Link`",
		apply(edit) {
			edit.addQuery("archiveStoppedSessions", "cursor", { type: "string" });
			edit.addError("archiveStoppedSessions", "400", "The cursor is not ours");
		},
	},
	{
		operation: "createSession, updateSession",
		contract: "–",
		ours: "also `budget`; `agent`, `permission_mode` and a `workload_config` that is empty of a new session; `base_branch` of an update",
		apply(edit) {
			const limit: JsonSchema = { type: "object", properties: { limit: nullableDollars } };
			Object.assign(edit.properties("SessionCreate"), {
				budget: limit,
				agent: text,
				permission_mode: { enum: ["auto", "ask"] },
				workload_config: { type: "object", maxProperties: 0 },
			});
			Object.assign(edit.properties("SessionUpdate"), { budget: limit, base_branch: text });
		},
	},
	{
		operation: "createSession",
		contract: "an unknown template, preset or profile is ignored",
		ours: "422 that names it",
	},
	{
		operation: "createSession, updateSession, startSession",
		contract: "an unknown model is accepted",
		ours: "422 that names those there are",
	},
	{
		operation: "createSession, updateSession",
		contract: "no branch is `main`; a missing one is made from the remote's HEAD",
		ours: "no branch is the one of the remote's HEAD; a missing one is made from `base_branch` only",
	},
	{
		operation: "updateSession",
		contract: "–",
		ours: "also `applies`: when a running pod has the model and the branch",
		apply(edit) {
			const effect: JsonSchema = { enum: ["now", "next_start"] };
			edit.properties("SessionResponse")["applies"] = { type: "object", properties: { model: effect, branch: effect } };
		},
	},
	{
		operation: "streamSessions",
		contract: "no `id`, `retry`, `reset`, `bye`; everybody sees everything",
		ours: "with them; everybody sees what `GET /sessions` shows them",
		apply(edit) {
			const reset = { reason: text, more: { type: "boolean" } };
			edit.addEvent("reset", { type: "object", required: ["reason"], properties: reset });
			edit.addEvent("bye", { type: "object", properties: {} });
		},
	},
	{
		operation: "reportUsage",
		contract: "409 unless running; `message_count` at least 1",
		ours: "taken in every status; 409 for another report with the same `report_id`; `message_count` may be 0; four buckets of tokens; the answer has `source`",
		apply(edit) {
			edit.properties("TokenUsageResponse")["source"] = { type: "string" };
			const count: JsonSchema = { type: "integer", minimum: 0 };
			const buckets = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];
			Object.assign(edit.properties("TokenUsageReport"), {
				...Object.fromEntries(["message_count", "launch", ...buckets].map((name) => [name, count])),
				...Object.fromEntries(["report_id", "source", "reservation_id"].map((name) => [name, {}])),
			});
		},
	},
	{
		operation: "listModels",
		contract: "–",
		ours: "`aliases`, `prices` of the four buckets, `formats`, `available`, `unavailable_reason`",
		apply(edit) {
			const dollars = { type: "number", minimum: 0 };
			const prices = { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars };
			Object.assign(edit.properties("ModelInfo"), {
				prices: { type: ["object", "null"], required: Object.keys(prices), properties: prices },
				aliases: { type: "array", items: { type: "string" } },
				formats: { type: "array", items: { type: "string" } },
				available: { type: "boolean" },
				unavailable_reason: { type: ["string", "null"] },
			});
		},
	},
	{
		operation: "reportActivity",
		contract: "–",
		ours: "409 `STALE_GENERATION` to the pod of an older launch",
		apply: (edit) => edit.addError("reportActivity", "409", "The launch is over"),
	},
	{
		operation: "sendSessionMessage",
		contract: "404 without a pod",
		ours: "409 `SESSION_NOT_RUNNING`; the answer also has `message_id`",
		apply(edit) {
			edit.addError("sendSessionMessage", "409", "The session is not running");
			edit.properties("SendMessageResponse")["message_id"] = text;
		},
	},
	{
		operation: "updateSession, sendSessionMessage",
		contract: "422 without a body",
		ours: "no body counts as `{}`",
		apply(edit) {
			for (const id of ["updateSession", "sendSessionMessage"]) edit.makeBodyOptional(id);
		},
	},
	{
		operation: "getSessionLogs",
		contract: "any `level`",
		ours: "`level` in either case; 422 for an unknown one",
		apply(edit) {
			const level = edit.operation("getSessionLogs").parameters?.find(({ name }) => name === "level");
			if (level) level.schema = { enum: logLevels.flatMap((name) => [name, name.toLowerCase()]) };
		},
	},
	{
		operation: "getSessionLogs, getConversation, getSessionDiff",
		contract: "404 or 502 without a pod",
		ours: "answered from the history; 404 only when nothing is stored",
	},
	{
		operation: "getConversation",
		contract: "–",
		ours: "`before`; the answer also has `truncated`",
		apply(edit) {
			edit.addQuery("getConversation", "before", text);
			edit.properties("ConversationHistory")["truncated"] = { type: "boolean" };
		},
	},
	{
		operation: "getSessionDiff",
		contract: "–",
		ours: "`format=patch` answers `{patch, truncated, omitted}`; `truncated` of a file; `status` of a file is `new`, `mod` or `del`",
		apply(edit) {
			edit.addQuery("getSessionDiff", "format", { enum: ["files", "patch"] });
			edit.addAlternative("getSessionDiff", "200", {
				type: "object",
				required: ["patch", "truncated"],
				properties: { patch: text, truncated: { type: "boolean" }, omitted: { type: "array", items: text } },
			});
			edit.properties("FileDiff")["truncated"] = { type: "boolean" };
			edit.properties("DiffFileSummary")["status"] = { enum: ["new", "mod", "del"] };
		},
	},
	...chroniclePatches,
	...identityPatches,
	...settingsPatches,
	...tokenPatches,
	...trackerPatches,
	...blueprintPatches,
	...credentialPatches,
	...integrationPatches,
	...oauthPatches,
	...confidencePatches,
	...promptPatches,
	...pullPatches,
	...repositoryPatches,
	...workspacePatches,
];

/** Returns the table as text, with one line per difference. */
export function patchTable(): string {
	return patches.map(({ operation, contract, ours }) => `${operation}: ${contract} → ${ours}`).join("\n");
}
