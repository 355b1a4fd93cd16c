/** The interface of a model's tools. A call is prepared, permitted if it changes something, and then run. */
import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import type { ToolInput } from "./tool-input.ts";

/** A tool as the model is offered it. */
export interface Tool {
	/** The name consists of letters, digits, `_` and `-`, at most 64. */
	name: string;
	description: string;
	/** The JSON Schema of an object. */
	inputSchema: JsonObject;
	/** Prepares a call and changes nothing. @throws {ToolFailure} when the input is invalid. */
	prepare(input: ToolInput, folder: string): PreparedCall | Promise<PreparedCall>;
}

/** A call that is ready to run. */
export interface PreparedCall {
	/** It is absent when the call is not shown to anybody. */
	shown?: ShownCall;
	/** It is absent when the call changes nothing, so that nobody is asked. */
	permission?: PermissionNeed;
	/** @throws {ToolFailure} */
	run(stage: ToolStage): Promise<ToolOutcome>;
}

/** The part of a call that a person sees before it runs. */
export interface ShownCall {
	title: string;
	kind: ToolKind;
	locations?: ToolCallLocation[];
	/** The planned effect of the call, such as a diff. */
	content?: ToolCallContent[];
}

/** The permission that a call needs. */
export interface PermissionNeed {
	/** One answer "always" permits all calls with the same key. */
	key: string;
	/** The meaning of "always" for the person who is asked, such as `Always allow "npm test"`. */
	always: string;
}

/** The surroundings of a running call. */
export interface ToolStage {
	folder: string;
	signal: AbortSignal;
	/** The bound on a result, in characters; the middle of a longer result is left out. */
	maxLength: number;
	/** Shows the output so far. */
	show: (content: ToolCallContent[]) => void;
	update: (update: SessionUpdate) => void;
}

/** The result of a call. */
export interface ToolOutcome {
	/** The text for the model. */
	text: string;
	isError?: boolean;
	/** The content for people. When it is absent, people see the text. */
	content?: ToolCallContent[];
	rawOutput?: JsonObject;
}

export function textContent(text: string): ToolCallContent {
	return { type: "content", content: { type: "text", text } };
}
