/** A session of the built-in agent in a file that is only appended to, so that it can be loaded however it ended. */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { Journal } from "#shared/base/files/journal.ts";
import { logLine } from "../stderr-log.ts";
import { mended, type ModelMessage } from "./model-message.ts";

type TranscriptRecord =
	| { type: "message"; message: ModelMessage; updates: SessionUpdate[] }
	/** One message replaces all but the last `kept`. */
	| { type: "compacted"; message: ModelMessage; kept: number };

/** A transcript that was read, with its content. */
export interface LoadedTranscript {
	transcript: Transcript;
	messages: ModelMessage[];
	/** The updates that a client is shown of the session. */
	updates: SessionUpdate[];
}

const sessionIdPattern = /^[\w-]{1,64}$/;
/** A longer file is rewritten when its conversation is compacted; it then holds only what is sent to the model. */
const maxBytes = 32 * 1_048_576;

export class Transcript {
	readonly #journal: Journal<TranscriptRecord>;

	private constructor(journal: Journal<TranscriptRecord>) {
		this.#journal = journal;
	}

	static async create(stateFolder: string, sessionId: string): Promise<Transcript> {
		await mkdir(stateFolder, { recursive: true, mode: 0o700 });
		const { journal } = await Journal.open<TranscriptRecord>(join(stateFolder, `${sessionId}.jsonl`));
		return new Transcript(journal);
	}

	/** @throws {Error} when there is no such session. */
	static async load(stateFolder: string, sessionId: string): Promise<LoadedTranscript> {
		const path = join(stateFolder, `${sessionId}.jsonl`);
		const found = sessionIdPattern.test(sessionId) && (await stat(path).catch(() => undefined));
		if (!found) throw new Error(`There is no session "${sessionId}"`);
		const { journal, records } = await Journal.open<TranscriptRecord>(path, ["message"]);
		return { transcript: new Transcript(journal), ...read(records) };
	}

	/** Resolves when the record is on disk. When the disk is full, the session loses its memory, but its work goes on. */
	async add(message: ModelMessage, updates: SessionUpdate[]): Promise<void> {
		await this.#append({ type: "message", message, updates });
	}

	/** @param messages All messages after the compaction, the summary first. */
	async compacted(messages: readonly ModelMessage[]): Promise<void> {
		const [message, ...retained] = messages;
		if (!message) return;
		if (this.#journal.size < maxBytes) return this.#append({ type: "compacted", message, kept: retained.length });
		const records = messages.map((each): TranscriptRecord => ({ type: "message", message: each, updates: [] }));
		await this.#journal.rewrite(() => records).catch(complain);
	}

	close(): Promise<void> {
		return this.#journal.close();
	}

	#append(record: TranscriptRecord): Promise<void> {
		return this.#journal.append(record).catch(complain);
	}
}

/** The sentence appears in the session's log. */
function complain(error: unknown): void {
	logLine(`The transcript cannot be written: ${error instanceof Error ? error.message : String(error)}`);
}

function read(records: readonly TranscriptRecord[]): Pick<LoadedTranscript, "messages" | "updates"> {
	let messages: ModelMessage[] = [];
	const updates: SessionUpdate[] = [];
	for (const record of records) {
		if (record.type === "message") {
			messages.push(record.message);
			updates.push(...record.updates);
		} else {
			messages = [record.message, ...(record.kept > 0 ? messages.slice(-record.kept) : [])];
		}
	}
	return { messages: mended(messages), updates };
}
