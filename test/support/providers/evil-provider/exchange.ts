/** One question to the evil provider. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Answer } from "./answer.ts";
import type { Asked } from "./recording.ts";

/** A question to the evil server, with all that a scenario needs to answer it. */
export interface Exchange {
	/** The number of this question among those that the scenario answers, from 1. */
	readonly number: number;
	readonly asked: Asked;
	/** The answer of the honest server. */
	readonly good: Answer;
	readonly origin: string;
	/** The origin of another server, which may be requested, but which has to get no token. */
	readonly elsewhere: string;
	readonly response: ServerResponse;
	readonly socket: Socket;
	/** Writes a well-formed answer. */
	readonly send: (answer: Answer) => void;
}
