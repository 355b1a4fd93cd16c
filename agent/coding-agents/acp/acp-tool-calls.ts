/**
 * The tool calls of a turn as the agent has told them so far. Announcements, updates and requests for permission name the
 * same call, and each leaves out what another has said (agentclientprotocol.com, tool calls).
 */
import { startTimeNow } from "#shared/process-files.ts";
import type { AgentUpdate } from "../coding-agent.ts";
import type { CommandTime } from "../command-end.ts";
import { isJsonObject, type JsonObject, objectsOf, textOf } from "../../io/json-object.ts";
import { commandOf, readUpdate } from "./acp-updates.ts";

/** Calls of one turn that are remembered; the oldest is forgotten first. */
const maxCalls = 256;
/** What a call may be described by. */
const members = ["title", "kind", "status", "rawInput"] as const;
const overStatuses = new Set<unknown>(["completed", "failed"]);

/** How much later than a command begins it may be heard of, where nobody was asked for it. */
const lateTicks = 100;

interface Call {
	readonly told: Record<string, unknown>;
	/** Of files, as far as the call is not over. */
	diffs: JsonObject[];
	isRefused: boolean;
	/** The agent has told of it otherwise than by asking. */
	isAnnounced: boolean;
	/** When it was heard of, or asked for, in clock ticks since the machine's start. */
	heard: number;
	/** How much earlier it may have begun. */
	lateTicks: number;
}

/** What a request for permission is about. */
export interface AskedCall {
	/** All that is known of it. */
	readonly call: JsonObject;
	/** What of that nobody has heard yet. */
	readonly news: AgentUpdate | undefined;
}

export class AcpToolCalls {
	readonly #calls = new Map<string, Call>();
	readonly #began = startTimeNow();

	/** An update of the agent as it is to be shown; undefined for what is not kept. */
	told(update: JsonObject): AgentUpdate | undefined {
		const id = idOf(update);
		if (id === undefined || !String(update["sessionUpdate"]).startsWith("tool_call")) return readUpdate(update);
		const call = this.#merge(id, update);
		call.isAnnounced = true;
		const { status } = call.told;
		const shown = call.isRefused && update["status"] === "completed" ? { ...update, status: "failed" } : update;
		if (!overStatuses.has(status)) return readUpdate(shown, verbFor(call));
		// What was only planned before has happened now, or has not.
		const content = call.diffs.length > 0 && !Array.isArray(update["content"]) ? { content: call.diffs } : {};
		const read = readUpdate({ ...shown, ...content }, verbFor(call));
		call.diffs = [];
		delete call.told["rawInput"];
		return read;
	}

	asked({ toolCall }: JsonObject): AskedCall {
		const asked = isJsonObject(toolCall) ? toolCall : {};
		const id = idOf(asked);
		if (id === undefined) return { call: asked, news: undefined };
		const before = JSON.stringify(this.#calls.get(id)?.told);
		const known = this.#merge(id, asked);
		known.told["status"] ??= "pending";
		// It begins when it is allowed.
		known.heard = startTimeNow();
		known.lateTicks = 0;
		const content = Array.isArray(asked["content"]) ? asked["content"] : known.diffs;
		const call = { toolCallId: id, ...known.told, ...(content.length > 0 && { content }) };
		const hasNews = before !== JSON.stringify(known.told);
		return { call, news: hasNews ? readUpdate({ ...call, sessionUpdate: "tool_call" }, verbFor(known)) : undefined };
	}

	/** What is to be shown of a call when its request is answered; undefined where the agent tells it. */
	answered(id: unknown, isAllowed: boolean): AgentUpdate | undefined {
		const call = typeof id === "string" ? this.#calls.get(id) : undefined;
		if (!call) return undefined;
		call.isRefused = !isAllowed;
		if (overStatuses.has(call.told["status"]) || (isAllowed && call.isAnnounced)) return undefined;
		const status = isAllowed ? "in_progress" : "failed";
		const { isAnnounced } = call;
		const shown = this.told({ sessionUpdate: "tool_call_update", toolCallId: id, status });
		call.isAnnounced = isAnnounced;
		return shown;
	}

	/** Since when a command is under way; undefined: none is. */
	get commandTime(): CommandTime | undefined {
		const open = [...this.#calls.values()].filter(({ told }) => isCommand(told) && !overStatuses.has(told["status"]));
		if (open.length === 0) return undefined;
		const heard = Math.min(...open.map((call) => call.heard));
		const earliest = Math.min(...open.map((call) => call.heard - call.lateTicks));
		return { heard, earliest: Math.max(this.#began, earliest) };
	}

	/** Ends, at the end of the turn, what the agent has left open. */
	*closed(isCancelled: boolean): Generator<AgentUpdate> {
		const status = isCancelled ? "failed" : "completed";
		for (const [toolCallId, { told }] of this.#calls) {
			if (told["status"] === undefined || overStatuses.has(told["status"])) continue;
			const update = this.told({ sessionUpdate: "tool_call_update", toolCallId, status });
			if (update) yield update;
		}
	}

	#merge(id: string, update: JsonObject): Call {
		const call = this.#calls.get(id) ?? this.#add(id);
		for (const member of members) {
			const value = update[member];
			if (saysMore(value, call.told[member], member)) call.told[member] = value;
		}
		const diffs = objectsOf(update["content"]).filter(({ type }) => type === "diff");
		if (diffs.length > 0) call.diffs = diffs;
		return call;
	}

	#add(id: string): Call {
		const call: Call = { told: {}, diffs: [], isRefused: false, isAnnounced: false, heard: startTimeNow(), lateTicks };
		this.#calls.set(id, call);
		const [oldest] = this.#calls.keys();
		if (oldest !== undefined && this.#calls.size > maxCalls) this.#calls.delete(oldest);
		return call;
	}
}

/** Requests for permission often have a shorter title, and an empty input. */
function saysMore(value: unknown, known: unknown, member: (typeof members)[number]): boolean {
	if (value === undefined || value === null) return false;
	if (member === "title") return (textOf(value) ?? "").length > (textOf(known) ?? "").length;
	if (member === "rawInput") return isJsonObject(value) && (known === undefined || Object.keys(value).length > 0);
	return true;
}

function verbFor({ isRefused, told: { status } }: Call): string {
	if (isRefused || status === "failed") return "Did not change";
	return status === "completed" ? "Changed" : "Change to";
}

function isCommand({ kind, rawInput }: Call["told"]): boolean {
	return kind === "execute" || commandOf(rawInput) !== undefined;
}

function idOf({ toolCallId }: JsonObject): string | undefined {
	return textOf(toolCallId);
}
