/** Runs the tool calls of the model, and shows the client each step. It never throws. */
import { randomUUID } from "node:crypto";
import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import { sleep } from "#shared/base/clock.ts";
import { BoundedText } from "../../io/bounded-text.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import type { AcpClient } from "../acp-client.ts";
import type { ModelToolCall } from "../model/model-answer.ts";
import type { ToolPermissions, Verdict } from "./tool-permissions.ts";
import { type PreparedCall, textContent, type Tool, type ToolOutcome } from "./tool.ts";
import { ToolInput } from "./tool-input.ts";

/** The outcome of one call. */
export interface ToolResult {
	part: LanguageModelV4ToolResultPart;
	/** The updates that a later reader of the conversation is shown. */
	updates: SessionUpdate[];
	/** The person who was asked cancelled the turn. */
	isCancelled: boolean;
}

/** The dependencies of the runner, given by its session. */
export interface ToolRunnerDependencies {
	folder: string;
	client: AcpClient;
	permissions: ToolPermissions;
	/** The largest number of tokens that the model reads. */
	contextWindow: number;
}

/** Bounds on a result in characters: an eighth of the window, within these; the middle of a longer one is left out. */
const resultLength = { least: 2_000, most: 32_768 };
/** The bound on one member of the input as it is shown, in characters. */
const maxInputLength = 65_536;
/** The time that a cancelled call still has to end by itself. */
const abandonMs = 150;

const cancelledText = "Cancelled by the user";
const rejectedText = "The user did not permit this. Nothing was done. Do not try the same again; ask the user instead.";

export class ToolRunner {
	readonly #dependencies: ToolRunnerDependencies;
	readonly #maxLength: number;

	constructor(dependencies: ToolRunnerDependencies) {
		this.#dependencies = dependencies;
		this.#maxLength = Math.max(
			resultLength.least,
			Math.min(resultLength.most, Math.floor(dependencies.contextWindow / 2)),
		);
	}

	async run(call: ModelToolCall, tools: readonly Tool[], signal: AbortSignal): Promise<ToolResult> {
		const { folder, client } = this.#dependencies;
		const report = new CallReport(call, client, this.#maxLength);
		try {
			const tool = tools.find(({ name }) => name === call.name);
			if (!tool)
				throw new Error(`There is no tool "${call.name}"; there are ${tools.map(({ name }) => name).join(", ")}`);
			const input = ToolInput.parse(call.input);
			const prepared = await tool.prepare(input, folder);
			report.announce(prepared, input);
			const verdict = await this.#permit(prepared, report, signal);
			// The turn may have been cancelled right after the call was permitted.
			const isCancelled = verdict === "cancelled" || signal.aborted;
			if (isCancelled) return report.end({ text: cancelledText, isError: true }, { isCancelled });
			if (verdict === "rejected") return report.end({ text: rejectedText, isError: true });
			report.begin();
			const { update } = client;
			const show = (content: ToolCallContent[]): void => report.show(content);
			return report.end(
				await endedOrAbandoned(prepared.run({ folder, signal, maxLength: this.#maxLength, show, update }), signal),
			);
		} catch (error) {
			return report.end({ text: error instanceof Error ? error.message : String(error), isError: true });
		}
	}

	/** The result of a call that did not run, because the turn was cancelled before. */
	skip(call: ModelToolCall): ToolResult {
		return { part: partOf(call, { text: cancelledText, isError: true }), updates: [], isCancelled: true };
	}

	async #permit({ permission }: PreparedCall, report: CallReport, signal: AbortSignal): Promise<Verdict> {
		return permission ? this.#dependencies.permissions.ask(report.call, permission, signal) : "allowed";
	}
}

/** Waits for the call; a call that ignores its signal is abandoned. */
async function endedOrAbandoned(running: Promise<ToolOutcome>, signal: AbortSignal): Promise<ToolOutcome> {
	const abandoned = Promise.withResolvers<ToolOutcome>();
	const abandon = (): void => {
		void sleep(abandonMs).then(() => abandoned.resolve({ text: cancelledText, isError: true }));
	};
	signal.addEventListener("abort", abandon);
	if (signal.aborted) abandon();
	try {
		return await Promise.race([running, abandoned.promise]);
	} finally {
		signal.removeEventListener("abort", abandon);
	}
}

/** One call as the client is shown it, and the form in which it is recorded. */
class CallReport {
	call: ToolCall;
	readonly #modelCall: ModelToolCall;
	readonly #client: AcpClient;
	readonly #maxLength: number;
	#isShown = true;
	#isAnnounced = false;
	/** An abandoned call may still show output, which is then ignored. */
	#hasEnded = false;

	constructor(modelCall: ModelToolCall, client: AcpClient, maxLength: number) {
		// The model's own id may occur again in another turn.
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

/** Long texts are cut, because the diff or the file shows them in full. */
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
