/**
 * The session's conversation. It is also the queue: a message without an answer waits for one. It is stored in the
 * state folder, so that it outlives the pod.
 */
import { isoTime } from "#shared/base/clock.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import { Journal } from "#shared/base/files/journal.ts";

/** `started`: the message was sent to the coding agent. `forgotten`: ids of messages whose content was removed. */
type JournalRecord = { turn: ConversationTurn } | { started: string } | { forgotten: string[] };

/** The bounds of a conversation. */
export interface ConversationLimits {
	/** The bytes of JSON in memory, and on disk after a compaction. The default is 8 MiB. */
	retainedBytes: number;
	/** The number of messages that wait for an answer. The default is 100. */
	waiting: number;
	/** The number of ids of removed messages that are still known. The default is 10,000. */
	forgotten: number;
}

const defaultLimits: ConversationLimits = { retainedBytes: 8 * 1_048_576, waiting: 100, forgotten: 10_000 };
/** The file is rewritten when it is larger than this multiple of the retained bytes. */
const slack = 4;

/** The queue is full. The message is a sentence for the sender. */
export class QueueFullError extends Error {
	override readonly name = "QueueFullError";
}

/** Stores the messages and answers of one session. */
export class Conversation {
	readonly #journal: Journal<JournalRecord>;
	readonly #limits: ConversationLimits;
	#turns: ConversationTurn[] = [];
	#bytes = 0;
	/** The number of messages that are being written to the disk. */
	#storing = 0;
	/** The ids of the user's messages, both retained and removed. */
	readonly #known = new Map<string, Promise<void>>();
	readonly #answered = new Set<string>();
	#forgotten: string[] = [];

	private constructor(journal: Journal<JournalRecord>, limits: ConversationLimits) {
		this.#journal = journal;
		this.#limits = limits;
	}

	/** Opens the conversation. A turn that the end of the last pod interrupted is marked so, and not run again. */
	static async open(file: string, limits: Partial<ConversationLimits> = {}): Promise<Conversation> {
		const { journal, records } = await Journal.open<JournalRecord>(file, ["turn", "started", "forgotten"]);
		const conversation = new Conversation(journal, { ...defaultLimits, ...limits });
		const underWay = conversation.#load(records);
		if (underWay !== undefined) await conversation.answer(interruptedTurn(underWay));
		return conversation;
	}

	/** The turns, oldest first. */
	get turns(): readonly ConversationTurn[] {
		return this.#turns;
	}

	/** Whether the session never had a message. */
	get isNew(): boolean {
		return this.#known.size === 0;
	}

	/** The oldest message without an answer. */
	next(): ConversationTurn | undefined {
		return this.#waiting()[0];
	}

	/**
	 * Adds a message to the queue. Resolves when it is on disk; a message with a known id is not added again.
	 * @throws {QueueFullError}
	 */
	ask(id: string, content: string, metadata: ConversationTurn["metadata"] = {}): Promise<void> {
		const known = this.#known.get(id);
		if (known) return known;
		const { waiting } = this.#limits;
		if (this.#waiting().length + this.#storing >= waiting) {
			return Promise.reject(new QueueFullError(`The agent has ${waiting} messages to answer; try again later`));
		}
		const turn: ConversationTurn = { id, role: "user", content, parts: [], created_at: isoTime(), metadata };
		this.#storing++;
		const stored = this.#journal
			.append({ turn })
			.then(() => this.#keep(turn))
			.finally(() => this.#storing--);
		this.#known.set(id, stored);
		// A message that could not be stored is not known, so the sender may try again.
		stored.catch(() => this.#known.delete(id));
		return stored;
	}

	/** Records that the message is sent to the agent, which happens once. Resolves when the record is on disk. */
	start(id: string): Promise<void> {
		return this.#journal.append({ started: id });
	}

	/**
	 * Stores a turn of the agent, whose `metadata.in_reply_to` names the message. Resolves when the turn is on disk. If
	 * it cannot be stored, the message still counts as answered, because it must not be run again.
	 */
	async answer(turn: ConversationTurn): Promise<void> {
		await this.#journal.append({ turn }).finally(() => {
			this.#keep(turn);
			this.#forgetOldest();
		});
		if (this.#journal.size > slack * this.#limits.retainedBytes) await this.#compact();
	}

	close(): Promise<void> {
		return this.#journal.close();
	}

	/** Returns the message that was being answered, if there is one. */
	#load(records: readonly JournalRecord[]): string | undefined {
		let started: string | undefined;
		for (const record of records) {
			if ("turn" in record) this.#keep(record.turn);
			else if ("started" in record) started = record.started;
			else this.#remember(record.forgotten);
		}
		const underWay = started !== undefined && !this.#answered.has(started) ? started : undefined;
		this.#forgetOldest();
		return underWay;
	}

	#keep(turn: ConversationTurn): void {
		this.#turns.push(turn);
		this.#bytes += jsonBytes(turn);
		if (turn.role === "user") {
			if (!this.#known.has(turn.id)) this.#known.set(turn.id, Promise.resolve());
			return;
		}
		const question = turn.metadata["in_reply_to"];
		if (typeof question === "string") this.#answered.add(question);
	}

	#waiting(): ConversationTurn[] {
		return this.#turns.filter(({ id, role }) => role === "user" && !this.#answered.has(id));
	}

	/** Removes the oldest turns, but never a message that waits, and never the newest turn. */
	#forgetOldest(): void {
		const { retainedBytes } = this.#limits;
		while (this.#bytes > retainedBytes && this.#turns.length > 1) {
			const [oldest] = this.#turns;
			if (!oldest || (oldest.role === "user" && !this.#answered.has(oldest.id))) return;
			this.#turns.shift();
			this.#bytes -= jsonBytes(oldest);
			if (oldest.role === "user") this.#remember([oldest.id]);
		}
	}

	#remember(ids: readonly string[]): void {
		this.#forgotten.push(...ids);
		for (const id of ids) if (!this.#known.has(id)) this.#known.set(id, Promise.resolve());
		const tooMany = this.#forgotten.splice(0, Math.max(0, this.#forgotten.length - this.#limits.forgotten));
		for (const id of tooMany) {
			this.#known.delete(id);
			this.#answered.delete(id);
		}
	}

	#compact(): Promise<void> {
		return this.#journal.rewrite(() => {
			const forgotten: JournalRecord = { forgotten: this.#forgotten };
			return [forgotten, ...this.#turns.map((turn): JournalRecord => ({ turn }))];
		});
	}
}

function interruptedTurn(question: string): ConversationTurn {
	return {
		id: `${question}-interrupted`,
		role: "assistant",
		content: "",
		parts: [],
		created_at: isoTime(),
		metadata: { in_reply_to: question, stop_reason: "interrupted" },
	};
}
