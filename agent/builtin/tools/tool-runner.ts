/** Runs what the model calls, and shows it: announced, permitted, under way, done. Never throws. */
import { randomUUID } from "node:crypto";
import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import { sleep } from "#shared/clock.ts";
import { BoundedText } from "../../io/bounded-text.ts";
import type { JsonObject } from "../../io/json-object.ts";
import type { AcpClient } from "../acp-client.ts";
import type { ModelToolCall } from "../model/model-answer.ts";
import type { ToolPermissions, Verdict } from "./tool-permissions.ts";
import { type PreparedCall, textContent, type Tool, type ToolOutcome } from "./tool.ts";
import { ToolInput } from "./tool-input.ts";

export interface ToolResult {
	/** For the model. */
	part: LanguageModelV4ToolResultPart;
	/** What somebody who looks later is shown of it. */
	updates: SessionUpdate[];
	/** The person who was asked cancelled the turn. */
	isCancelled: boolean;
}

export interface ToolRunnerOptions {
	folder: string;
	client: AcpClient;
	permissions: ToolPermissions;
	/** Tokens the model reads at most. */
	contextWindow: number;
}

/** Characters of a result for the model, an eighth of a small window; of what is longer, the beginning and the end are kept. */
const resultLength = { least: 2_000, most: 32_768 };
/** Characters of a member of the input, as it is shown. */
const maxInputLength = 65_536;
/** What a cancelled call may still take to come to its own end. */
const settleMs = 150;

export const cancelledText = "Cancelled by the user";
const rejectedText = "The user did not permit this. Nothing was done. Do not try the same again; ask the user instead.";

export class ToolRunner {
	readonly #options: ToolRunnerOptions;
	readonly #maxLength: number;

	constructor(options: ToolRunnerOptions) {
		this.#options = options;
		this.#maxLength = Math.max(resultLength.least, Math.min(resultLength.most, Math.floor(options.contextWindow / 2)));
	}

	async run(call: ModelToolCall, tools: readonly Tool[], signal: AbortSignal): Promise<ToolResult> {
		const { folder, client } = this.#options;
		const report = new CallReport(call, client, this.#maxLength);
		try {
			const tool = tools.find(({ name }) => name === call.name);
			if (!tool)
				throw new Error(`There is no tool "${call.name}"; there are ${tools.map(({ name }) => name).join(", ")}`);
			const input = ToolInput.parse(call.input);
			const prepared = await tool.prepare(input, folder);
			report.announce(prepared, input);
			const verdict = await this.#permit(prepared, report, signal);
			// It may have been permitted just before.
			const isCancelled = verdict === "cancelled" || signal.aborted;
			if (isCancelled) return report.end({ text: cancelledText, isError: true }, { isCancelled });
			if (verdict === "rejected") return report.end({ text: rejectedText, isError: true });
			report.begin();
			const { update } = client;
			const show = (content: ToolCallContent[]): void => report.show(content);
			return report.end(
				await settled(prepared.run({ folder, signal, maxLength: this.#maxLength, show, update }), signal),
			);
		} catch (error) {
			return report.end({ text: error instanceof Error ? error.message : String(error), isError: true });
		}
	}

	/** What came to nothing because the turn was cancelled before. */
	skip(call: ModelToolCall): ToolResult {
		return { part: partOf(call, { text: cancelledText, isError: true }), updates: [], isCancelled: true };
	}

	async #permit({ permission }: PreparedCall, report: CallReport, signal: AbortSignal): Promise<Verdict> {
		return permission ? this.#options.permissions.ask(report.call, permission, signal) : "allowed";
	}
}

/** A call that does not heed its signal is left alone. */
async function settled(running: Promise<ToolOutcome>, signal: AbortSignal): Promise<ToolOutcome> {
	const left = Promise.withResolvers<ToolOutcome>();
	const leave = (): void => {
		void sleep(settleMs).then(() => left.resolve({ text: cancelledText, isError: true }));
	};
	signal.addEventListener("abort", leave);
	if (signal.aborted) leave();
	try {
		return await Promise.race([running, left.promise]);
	} finally {
		signal.removeEventListener("abort", leave);
	}
}

/** What the client is shown of one call, and how it reads in the end. */
class CallReport {
	call: ToolCall;
	readonly #modelCall: ModelToolCall;
	readonly #client: AcpClient;
	readonly #maxLength: number;
	#isShown = true;
	#isAnnounced = false;
	/** A call that was left alone may still have something to show. */
	#hasEnded = false;

	constructor(modelCall: ModelToolCall, client: AcpClient, maxLength: number) {
		// The model's own id may come again in another turn.
		const toolCallId = randomUUID();
		this.#maxLength = maxLength;
		this.call = { toolCallId, title: modelCall.name, kind: "other", status: "pending" };
		this.#modelCall = modelCall;
		this.#client = client;
	}

	announce({ shown }: PreparedCall, { members }: ToolInput): void {
		this.#isShown = shown !== undefined;
		this.call = { ...this.call, ...shown, rawInput: boundedInput(members) };
		this.#open();
	}

	begin(): void {
		this.#change({ status: "in_progress" });
	}

	show(content: ToolCallContent[]): void {
		if (!this.#hasEnded) this.#change({ content });
	}

	end({ text, isError = false, content, rawOutput }: ToolOutcome, { isCancelled = false } = {}): ToolResult {
		const bounded = boundedText(text, this.#maxLength);
		this.#open();
		const shown = (content ?? [textContent(bounded)]).map((item) => boundedContent(item, this.#maxLength));
		this.#hasEnded = true;
		this.#change({ status: isError ? "failed" : "completed", content: shown, ...(rawOutput && { rawOutput }) });
		const updates: SessionUpdate[] = this.#isShown ? [{ sessionUpdate: "tool_call", ...this.call }] : [];
		return { part: partOf(this.#modelCall, { text: bounded, isError }), updates, isCancelled };
	}

	#open(): void {
		if (this.#isAnnounced || !this.#isShown) return;
		this.#isAnnounced = true;
		this.#client.update({ sessionUpdate: "tool_call", ...this.call });
	}

	#change(change: Partial<ToolCall>): void {
		this.call = { ...this.call, ...change };
		const { toolCallId } = this.call;
		if (this.#isShown) this.#client.update({ sessionUpdate: "tool_call_update", toolCallId, ...change });
	}
}

/** The whole of a long text is in the diff or in the file. */
function boundedInput(members: JsonObject): JsonObject {
	const cut = (value: unknown): unknown =>
		typeof value === "string" && value.length > maxInputLength ? `${value.slice(0, maxInputLength)}…` : value;
	return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, cut(value)]));
}

function partOf({ id, name }: ModelToolCall, { text, isError = false }: ToolOutcome): LanguageModelV4ToolResultPart {
	const output = { type: isError ? ("error-text" as const) : ("text" as const), value: text };
	return { type: "tool-result", toolCallId: id, toolName: name, output };
}

function boundedContent(content: ToolCallContent, maxLength: number): ToolCallContent {
	if (content.type !== "content" || content.content.type !== "text") return content;
	return textContent(boundedText(content.content.text, maxLength));
}

function boundedText(text: string, maxLength: number): string {
	if (text.length <= maxLength) return text;
	const bounded = new BoundedText(maxLength);
	bounded.append(text);
	return bounded.toString();
}
