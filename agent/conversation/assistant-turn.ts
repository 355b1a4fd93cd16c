/** The agent's turn while it is under way: its updates are collected as parts, within bounds. */
import { randomUUID } from "node:crypto";
import { isoTime } from "#shared/base/clock.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { AgentUpdate, PlanUpdate, ToolUpdate } from "../coding-agents/coding-agent.ts";
import { fitTurn } from "#shared/wire/pod/conversation-history.ts";

/** The bound on a finished turn, in bytes of JSON: several such turns fit on one page of an answer. */
const maxTurnBytes = 640 * 1024;
/** The bound on all text of a turn, in characters; later text is left out. */
const maxTextLength = 1_048_576;
const maxOutputLength = 300_000;
const maxParts = 2_000;
const tailLength = 200;

type TextPart = { type: "text" | "reasoning"; text: string };
type ToolPart = Omit<ToolUpdate, "id">;
export type TurnPart = TextPart | ToolPart | PlanUpdate;

export class AssistantTurn {
	readonly id = randomUUID();
	/** The id of the message that the turn answers. */
	readonly question: string;
	readonly #startedAt = isoTime();
	readonly #parts: TurnPart[] = [];
	readonly #tools = new Map<string, ToolPart>();
	#textLength = 0;
	#tail = "";

	constructor(question: string) {
		this.question = question;
	}

	/** The last 200 characters of the newest text. */
	get lastActivity(): string {
		return this.#tail;
	}

	get isExecuting(): boolean {
		return [...this.#tools.values()].some(({ status }) => status === "pending" || status === "in_progress");
	}

	/** The parts so far, in the order in which they began. */
	get parts(): readonly TurnPart[] {
		return this.#parts;
	}

	apply(update: AgentUpdate): void {
		if (update.type === "tool") this.#applyTool(update);
		else if (update.type === "plan") this.#applyPlan(update);
		else this.#applyText(update);
	}

	/** @param error A sentence for a turn that failed; absent for any other. */
	finish(stopReason: string, error?: string): ConversationTurn {
		const text = this.#parts.map((part) => (part.type === "text" ? part.text : "")).join("");
		const turn: ConversationTurn = {
			id: this.id,
			role: "assistant",
			content: text === "" && error !== undefined ? error : text,
			parts: this.#parts,
			created_at: this.#startedAt,
			metadata: { in_reply_to: this.question, stop_reason: stopReason, ...(error !== undefined && { error }) },
		};
		return fitTurn(turn, maxTurnBytes);
	}

	#applyText({ type, text }: TextPart): void {
		const piece = text.slice(0, maxTextLength - this.#textLength);
		this.#textLength += piece.length;
		const last = this.#parts.at(-1);
		if (last?.type === type && "text" in last) last.text += piece;
		else this.#add({ type, text: piece });
		this.#tail = (this.#tail + text).slice(-tailLength);
	}

	/** An update may belong to a call that was never announced. */
	#applyTool({ id, ...changes }: ToolUpdate): void {
		const bounded =
			changes.output === undefined ? changes : { ...changes, output: changes.output.slice(-maxOutputLength) };
		const known = this.#tools.get(id);
		const tool: ToolPart = Object.assign(known ?? { type: "tool" }, bounded);
		if (!known && this.#add(tool)) this.#tools.set(id, tool);
		this.#tail = (tool.command ?? tool.title ?? this.#tail).slice(-tailLength);
	}

	/** A turn has at most one plan, which stays in the place where it first appeared. */
	#applyPlan({ entries }: PlanUpdate): void {
		const known = this.#parts.find((part) => part.type === "plan");
		if (known && "entries" in known) known.entries = entries;
		else this.#add({ type: "plan", entries });
	}

	#add(part: TurnPart): boolean {
		if (this.#parts.length >= maxParts) return false;
		this.#parts.push(part);
		return true;
	}
}
