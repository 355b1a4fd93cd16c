/** What the model may use: each tool reads its input first, is permitted where it changes something, and then runs. */
import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { JsonObject } from "../../io/json-object.ts";
import type { ToolInput } from "./tool-input.ts";

export interface Tool {
	/** Letters, digits, `_` and `-`, at most 64. */
	name: string;
	description: string;
	/** JSON Schema of an object. */
	inputSchema: JsonObject;
	/** Changes nothing. @throws {ToolFailure} when the input makes no sense. */
	prepare(input: ToolInput, folder: string): PreparedCall | Promise<PreparedCall>;
}

/** A call that could run now. */
export interface PreparedCall {
	/** Absent: nobody is shown that it was called. */
	shown?: ShownCall;
	/** Absent: it changes nothing, and nobody is asked. */
	permission?: PermissionNeed;
	/** @throws {ToolFailure} */
	run(stage: ToolStage): Promise<ToolOutcome>;
}

export interface ShownCall {
	title: string;
	kind: ToolKind;
	locations?: ToolCallLocation[];
	/** What it is about to do, e.g. a diff. */
	content?: ToolCallContent[];
}

export interface PermissionNeed {
	/** Two calls with the same key are permitted by one "always". */
	key: string;
	/** What "always" means, for the person who is asked, e.g. `Always allow "npm test"`. */
	always: string;
}

export interface ToolStage {
	folder: string;
	signal: AbortSignal;
	/** Characters of a result; of a longer one the middle is left out. */
	maxLength: number;
	/** Shows what there is so far. */
	show: (content: ToolCallContent[]) => void;
	update: (update: SessionUpdate) => void;
}

export interface ToolOutcome {
	/** For the model. */
	text: string;
	isError?: boolean;
	/** For people; absent: the text. */
	content?: ToolCallContent[];
	rawOutput?: JsonObject;
}

export function textContent(text: string): ToolCallContent {
	return { type: "content", content: { type: "text", text } };
}
