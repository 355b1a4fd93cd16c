/** What the scripted model answers. */
import type { TokenCounts } from "#shared/models/token-counts.ts";
import type { ModelRequest, ToolCall } from "./model-request.ts";

export type Fault =
	/** Refuses. `message` may be anything, e.g. one that repeats the key. */
	| { kind: "status"; status: number; retryAfterS?: number; message?: string }
	/** Sends that many pieces of the answer and then nothing more; without `after` not even a head. */
	| { kind: "stall"; after?: number }
	/** Sends that many pieces of the answer and then cuts the connection. */
	| { kind: "broken"; after: number }
	/** Waits before each piece. */
	| { kind: "slow"; everyMs: number };

export interface Answer {
	text?: string;
	/** What a reasoning model thinks before; billed as output. */
	thought?: string;
	calls?: ToolCall[];
	/** Buckets that are billed otherwise than by default. */
	usage?: Partial<TokenCounts>;
	/** The usage is not told, as some servers do; nothing is billed. */
	isSilent?: boolean;
	/** Compressed whether or not the caller wants it. */
	isGzipped?: boolean;
	/** The answer is cut at the limit of output tokens. */
	isCut?: boolean;
	fault?: Fault;
}

/** The answer to one request; it must follow from the request alone, because agents ask again after failures. */
export type Script = (request: ModelRequest) => Answer | Promise<Answer>;

/** An answer ready to be written in a wire format. */
export interface Reply {
	id: string;
	model: string;
	request: ModelRequest;
	text: string;
	thought: string;
	calls: (ToolCall & { id: string })[];
	counts: TokenCounts;
	isSilent: boolean;
	isCut: boolean;
}

/** A piece of a stream as it is written, and what has been reported of the usage when it was. */
export interface Frame {
	text: string | Buffer;
	reported?: TokenCounts;
}

/** Speaks one wire format. */
export interface Wire {
	/** @param path Without the query. */
	parse(body: ModelRequest["body"], path: string): Omit<ModelRequest, "wire" | "body" | "headers">;
	whole(reply: Reply): object;
	stream(reply: Reply): Frame[];
	failure(status: number, message: string): object;
}

/** Cuts a text in `count` pieces, so that a stream has several. */
export function pieces(text: string, count = 3): string[] {
	const length = Math.max(1, Math.ceil(text.length / count));
	return text.match(new RegExp(`[\\s\\S]{1,${length}}`, "gu")) ?? [];
}

export function argsText(call: ToolCall): string {
	return typeof call.args === "string" ? call.args : JSON.stringify(call.args);
}
