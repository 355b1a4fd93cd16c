/** A platform that receives the reports of pods and answers with `status`. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import type { PatchPiece, ReportedEntry, ReportedEvent } from "#shared/contracts/sessions/history.ts";
import type { ConversationTurn, SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import { addTokens, noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";
import { closeAtOnce, loopbackUrl } from "../machine/loopback-server.ts";

interface Received {
	path: string | undefined;
	authorization: string | undefined;
	/** The status of the answer. */
	answered: number;
}

interface Activity extends Received {
	state: string;
	metadata: Record<string, unknown>;
}

export interface History extends Received {
	launch: number;
	n: number;
	/** The log lines; absent when the report is only a question. */
	logs?: SessionLogs["lines"];
	turns?: ConversationTurn[];
	diff?: PatchPiece;
	timeline?: ReportedEntry[];
	events?: ReportedEvent[];
	chronicle?: ChronicleReport;
	bytes: number;
}

export interface Usage extends Received {
	report_id: string;
	launch: number;
	model: string;
	tokens: number;
	message_count: number;
	input_tokens: number;
	output_tokens: number;
	cache_read_tokens: number;
	cache_write_tokens: number;
	reservation_id?: string;
}

export class PlatformListener implements AsyncDisposable {
	readonly activities: Activity[] = [];
	readonly histories: History[] = [];
	readonly usages: Usage[] = [];
	status = 204;
	/** A promise that delays all answers. */
	silence: Promise<void> = Promise.resolve();
	/** The statuses of the next reports of usage, one each. */
	readonly usageStatuses: number[] = [];
	/** The statuses of the next reports of history, one each. */
	readonly historyStatuses: number[] = [];
	/** The count of next reports of usage that are taken but whose answers are lost. */
	lostAnswers = 0;
	readonly #server: Server;

	private constructor() {
		this.#server = createServer((request, response) => void this.#answer(request, response));
	}

	static async listen(port = 0): Promise<PlatformListener> {
		const listener = new PlatformListener();
		listener.#server.listen(port, "127.0.0.1");
		await once(listener.#server, "listening");
		return listener;
	}

	get url(): string {
		return `${loopbackUrl(this.#server)}/api/v1/svc`;
	}

	get states(): string[] {
		return this.activities.map(({ state }) => state);
	}

	/** The reports of history that were taken, without mere questions. */
	get taken(): (History & Required<Pick<History, "logs" | "turns">>)[] {
		return this.histories.flatMap((one) => {
			const { logs, turns } = one;
			return one.answered === 204 && logs && turns ? [{ ...one, logs, turns }] : [];
		});
	}

	/** The turns that were taken, in order. */
	get turns(): ConversationTurn[] {
		return this.taken.flatMap(({ turns }) => turns);
	}

	/** The reports of usage that were taken, each once. */
	get booked(): Usage[] {
		const taken = this.usages.filter(({ answered }) => answered < 300);
		return [...new Map(taken.map((one) => [one.report_id, one])).values()];
	}

	/** The sum of the reports that were taken. */
	get bookedCounts(): TokenCounts {
		return this.booked.reduce<TokenCounts>(
			(sum, one) =>
				addTokens(sum, {
					input: one.input_tokens,
					output: one.output_tokens,
					cache_read: one.cache_read_tokens,
					cache_write: one.cache_write_tokens,
				}),
			{ ...noTokens },
		);
	}

	/** The timeline entries that were taken, in order. */
	get timeline(): ReportedEntry[] {
		return this.taken.flatMap(({ timeline }) => timeline ?? []);
	}

	/** The raw events that were taken, in order. */
	get events(): ReportedEvent[] {
		return this.taken.flatMap(({ events }) => events ?? []);
	}

	/** The chronicles that were taken. */
	get chronicles(): ChronicleReport[] {
		return this.taken.flatMap(({ chronicle }) => chronicle ?? []);
	}

	/** The newest patch that was taken completely. */
	get patch(): string | undefined {
		const pieces = this.histories.flatMap(({ diff, answered }) => (diff && answered === 204 ? [diff] : []));
		const id = pieces.findLast(({ piece, pieces: count }) => piece === count - 1)?.id;
		if (id === undefined) return undefined;
		const whole = pieces.filter((one) => one.id === id);
		return whole.map(({ text }) => text).join("");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		// A pod that ends within a report has reported nothing.
		const text = await textOf(request).catch(() => undefined);
		if (text === undefined) return;
		await this.silence;
		const kind = kindOf(request);
		const answered = this.#statusOf(kind);
		this.#keep(request, text, answered);
		if (kind === "usage" && this.lostAnswers > 0) {
			this.lostAnswers--;
			request.socket.destroy();
		} else response.writeHead(answered).end(answered === 204 ? undefined : '{"detail":"no"}');
	}

	#statusOf(kind: string | undefined): number {
		const own = { usage: this.usageStatuses, history: this.historyStatuses };
		return (kind === "usage" || kind === "history" ? own[kind].shift() : undefined) ?? this.status;
	}

	#keep({ url, headers }: IncomingMessage, text: string, answered: number): void {
		const received = { path: url, authorization: headers.authorization, answered, ...JSON.parse(text || "{}") };
		if (url?.includes("/reservations")) return;
		if (url?.endsWith("/activity")) this.activities.push(received);
		else if (url?.endsWith("/usage")) this.usages.push(received);
		else this.histories.push({ ...received, bytes: Buffer.byteLength(text) });
	}
}

/** Returns the last part of the request's path. */
function kindOf({ url }: IncomingMessage): string | undefined {
	return url?.split("/").at(-1);
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks).toString("utf8");
}
