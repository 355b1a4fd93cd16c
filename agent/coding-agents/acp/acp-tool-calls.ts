/**
 * The tool calls of a turn as the agent has reported them so far. Announcements, updates and requests for permission
 * name the same call, and each may omit what another has said (agentclientprotocol.com, tool calls).
 */
import { isDeepStrictEqual } from "node:util";
import { startTimeNow } from "#shared/base/files/process-files.ts";
import type { AgentUpdate } from "../coding-agent.ts";
import type { CommandTime } from "../command-end.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";
import { commandOf, readUpdate } from "./acp-updates.ts";

/** The bound on remembered calls of one turn; the oldest call is removed first. */
const maxCalls = 256;
const members = ["title", "kind", "status", "rawInput"] as const;
const overStatuses = new Set<unknown>(["completed", "failed"]);

/** How long after its start a command may be reported, when no permission was asked for it. */
const lateTicks = 100;

interface Call {
	readonly reported: Record<string, unknown>;
	/** The diffs of files, until the call has ended. */
	diffs: JsonObject[];
	/** The texts that were reported last, until the call has ended: some agents write the arguments there. */
	texts: JsonObject[];
	isRefused: boolean;
	/** The call is a command that was running when the turn was cancelled. */
	isCut: boolean;
	/** The agent has reported the call by an update and not only by a request for permission. */
	isAnnounced: boolean;
	/** The time when the call was first reported, or permission was asked, in clock ticks since the machine's start. */
	reportedAt: number;
	/** How much earlier the call may have started. */
	lateTicks: number;
}

/** The call for which permission is asked. */
export interface AskedCall {
	/** Everything that is known of the call. */
	readonly call: JsonObject;
	/** The part that was not shown before. */
	readonly news: AgentUpdate | undefined;
}

/** Merges the updates of the calls of one turn. */
export class AcpToolCalls {
	readonly #calls = new Map<string, Call>();
	readonly #began = startTimeNow();

	/** Returns an update of the agent in the form in which it is shown, or undefined when it is not shown. */
	updated(update: JsonObject): AgentUpdate | undefined {
		const id = idOf(update);
		if (id === undefined || !String(update["sessionUpdate"]).startsWith("tool_call")) return readUpdate(update);
		const call = this.#merge(id, update);
		call.isAnnounced = true;
		const { status } = call.reported;
		const isUndone = call.isRefused || call.isCut;
		const shown = isUndone && update["status"] === "completed" ? { ...update, status: "failed" } : update;
		if (!overStatuses.has(status)) return readUpdate(shown, verbFor(call));
		// The call is over, so the planned changes have either happened or not.
		const content = call.diffs.length > 0 && !Array.isArray(update["content"]) ? { content: call.diffs } : {};
		const read = readUpdate({ ...shown, ...content }, verbFor(call));
		call.diffs = [];
		call.texts = [];
		delete call.reported["rawInput"];
		return read;
	}

	asked({ toolCall }: JsonObject): AskedCall {
		const asked = isJsonObject(toolCall) ? toolCall : {};
		const id = idOf(asked);
		if (id === undefined) return { call: asked, news: undefined };
		const former = this.#calls.get(id);
		const before = JSON.stringify(former?.reported);
		const earlier = former?.texts ?? [];
		const known = this.#merge(id, asked);
		known.texts = earlier;
		known.reported["status"] ??= "pending";
		// The call starts when it is permitted.
		known.reportedAt = startTimeNow();
		known.lateTicks = 0;
		const content = withEarlier(earlier, Array.isArray(asked["content"]) ? objectsOf(asked["content"]) : known.diffs);
		const call = { toolCallId: id, ...known.reported, ...(content.length > 0 && { content }) };
		const hasNews = before !== JSON.stringify(known.reported);
		return { call, news: hasNews ? readUpdate({ ...call, sessionUpdate: "tool_call" }, verbFor(known)) : undefined };
	}

	/** Returns what is shown of a call when its request is answered, or undefined when the agent reports it itself. */
	answered(id: unknown, isAllowed: boolean): AgentUpdate | undefined {
		const call = typeof id === "string" ? this.#calls.get(id) : undefined;
		if (!call) return undefined;
		call.isRefused = !isAllowed;
		if (overStatuses.has(call.reported["status"]) || (isAllowed && call.isAnnounced)) return undefined;
		const status = isAllowed ? "in_progress" : "failed";
		const { isAnnounced } = call;
		const shown = this.updated({ sessionUpdate: "tool_call_update", toolCallId: id, status });
		call.isAnnounced = isAnnounced;
		return shown;
	}

	/**
	 * Marks the running commands when the turn is cancelled: they have failed, even if the agent calls their end a
	 * completion. Returns the time since which one has been running.
	 */
	cutCommands(): CommandTime | undefined {
		for (const call of this.#openCommands) call.isCut = true;
		return this.commandTime;
	}

	/** The time since which a command has been running; undefined when none is. */
	get commandTime(): CommandTime | undefined {
		const open = this.#openCommands;
		if (open.length === 0) return undefined;
		const reportedAt = Math.min(...open.map((call) => call.reportedAt));
		const earliest = Math.min(...open.map((call) => call.reportedAt - call.lateTicks));
		return { reportedAt, earliest: Math.max(this.#began, earliest) };
	}

	/** Ends the calls that are still open at the end of the turn. */
	*closed(isCancelled: boolean): Generator<AgentUpdate> {
		const status = isCancelled ? "failed" : "completed";
		for (const [toolCallId, { reported }] of this.#calls) {
			if (reported["status"] === undefined || overStatuses.has(reported["status"])) continue;
			const update = this.updated({ sessionUpdate: "tool_call_update", toolCallId, status });
			if (update) yield update;
		}
	}

	get #openCommands(): Call[] {
		return [...this.#calls.values()].filter(
			({ reported }) => isCommand(reported) && !overStatuses.has(reported["status"]),
		);
	}

	#merge(id: string, update: JsonObject): Call {
		const call = this.#calls.get(id) ?? this.#add(id);
		for (const member of members) {
			const value = update[member];
			if (saysMore(value, call.reported[member], member)) call.reported[member] = value;
		}
		const diffs = objectsOf(update["content"]).filter(({ type }) => type === "diff");
		if (diffs.length > 0) call.diffs = diffs;
		const texts = objectsOf(update["content"]).filter(({ type }) => type === "content");
		if (texts.length > 0) call.texts = texts;
		return call;
	}

	#add(id: string): Call {
		const call: Call = {
			reported: {},
			diffs: [],
			texts: [],
			isRefused: false,
			isCut: false,
			isAnnounced: false,
			reportedAt: startTimeNow(),
			lateTicks,
		};
		this.#calls.set(id, call);
		const [oldest] = this.#calls.keys();
		if (oldest !== undefined && this.#calls.size > maxCalls) this.#calls.delete(oldest);
		return call;
	}
}

/** A request may repeat a text or leave it out. */
function withEarlier(earlier: readonly JsonObject[], shown: readonly JsonObject[]): JsonObject[] {
	return [...earlier.filter((text) => !shown.some((one) => isDeepStrictEqual(one, text))), ...shown];
}

/** A request for permission often has a shorter title and an empty input, which do not replace what is known. */
function saysMore(value: unknown, known: unknown, member: (typeof members)[number]): boolean {
	if (value === undefined || value === null) return false;
	if (member === "title") return (textOf(value) ?? "").length > (textOf(known) ?? "").length;
	if (member === "rawInput") return isJsonObject(value) && (known === undefined || Object.keys(value).length > 0);
	return true;
}

function verbFor({ isRefused, reported: { status } }: Call): string {
	if (isRefused || status === "failed") return "Did not change";
	return status === "completed" ? "Changed" : "Change to";
}

function isCommand({ kind, rawInput }: Call["reported"]): boolean {
	return kind === "execute" || commandOf(rawInput) !== undefined;
}

function idOf({ toolCallId }: JsonObject): string | undefined {
	return textOf(toolCallId);
}
