/** The answers of the scripted model. */
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { ModelRequest, ToolCall } from "./model-request.ts";

export type Fault =
	/** Refuses the request; `message` may be anything, e.g. a text that repeats the key. */
	| { kind: "status"; status: number; retryAfterS?: number; message?: string }
	/** Sends that many pieces of the answer and then nothing more; without `after` it does not even send a head. */
	| { kind: "stall"; after?: number }
	/** Sends that many pieces of the answer and then closes the connection. */
	| { kind: "broken"; after: number }
	/** Waits before each piece. */
	| { kind: "slow"; everyMs: number };

export interface Answer {
	text?: string;
	/** The reasoning before the answer, which is billed as output. */
	thought?: string;
	calls?: ToolCall[];
	/** The tokens of buckets that are not billed by default. */
	usage?: Partial<TokenCounts>;
	/** Whether the usage is not reported, as by some servers; nothing is then billed. */
	isSilent?: boolean;
	/** Whether the answer is compressed, even when the caller does not accept that. */
	isGzipped?: boolean;
	/** Whether the answer is cut at the limit of output tokens. */
	isCut?: boolean;
	fault?: Fault;
}

/**
 * Makes the answer to one request; it must depend on the request alone, because agents repeat requests after failures.
 */
export type Script = (request: ModelRequest) => Answer | Promise<Answer>;

/** An answer that is ready to be written in a wire format. */
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

/** A piece of a stream, with the usage that has been reported up to it. */
export interface Frame {
	text: string | Buffer;
	reported?: TokenCounts;
}

/** The implementation of one wire format. */
export interface Wire {
	/** Parses a request. @param path The path without the query. */
	parse(body: ModelRequest["body"], path: string): Omit<ModelRequest, "wire" | "body" | "headers">;
	whole(reply: Reply): object;
	stream(reply: Reply): Frame[];
	failure(status: number, message: string): object;
}

/** Splits a text into `count` pieces, so that a stream has several. */
export function pieces(text: string, count = 3): string[] {
	const length = Math.max(1, Math.ceil(text.length / count));
	return text.match(new RegExp(`[\\s\\S]{1,${length}}`, "gu")) ?? [];
}

export function argsText(call: ToolCall): string {
	return typeof call.args === "string" ? call.args : JSON.stringify(call.args);
}
