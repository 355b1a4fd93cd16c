/**
 * Used tokens that the platform has not heard of yet, on disk: each use as it was metered, and the one report that is
 * being told. A pod that is killed leaves them to the next one, which tells the same report again or makes one of what
 * was in none; so nothing is lost and nothing counts twice.
 */
import { randomUUID } from "node:crypto";
import { totalTokens } from "#shared/models/token-counts.ts";
import { isJsonObject } from "../io/json-object.ts";
import { Journal } from "../io/journal.ts";
import { addUse, isToldWith, type MeteredReport, reportOf, type Use } from "./usage-report.ts";

/** One line of the file. */
type SpoolRecord =
	/** With `ended`, the id of a call: what was said when it began does not count any more. */
	| { use: Use; ended?: string }
	/** A call under way: what is known of it counts when nobody is left to say how it ended. */
	| { begun: string; use: Use }
	/** Messages that were answered and are in no report. */
	| { messages: number }
	/** It takes the uses it tells of, and all messages. */
	| { report: MeteredReport }
	/** Id of the report. */
	| { told: string };

const maxFileBytes = 262_144;

export class UsageSpool {
	readonly #journal: Journal;
	/** In no report yet, oldest first; uses that can be told together are one. */
	#uses: Use[] = [];
	/** By id of the call. */
	readonly #begun = new Map<string, Use>();
	#messages = 0;
	#report: MeteredReport | undefined;

	private constructor(journal: Journal) {
		this.#journal = journal;
	}

	static async open(file: string): Promise<UsageSpool> {
		const { journal, records } = await Journal.open(file);
		const spool = new UsageSpool(journal);
		for (const record of records) if (isRecord(record)) spool.#take(record);
		// Their pod is gone.
		for (const [call, use] of spool.#begun) await spool.#keep({ use, ended: call });
		return spool;
	}

	/** Whether there is anything to tell. */
	get isEmpty(): boolean {
		return this.#uses.length === 0 && this.#report === undefined;
	}

	/** The call is under way, and has used as much at least. Resolves when it is on disk. */
	begin(call: string, use: Use): Promise<void> {
		return this.#keep({ begun: call, use });
	}

	/** Counts from now on; resolves when it is on disk. @param call Id of the call, which is over. */
	async add(use: Use, call?: string): Promise<void> {
		const ended = call !== undefined && this.#begun.has(call) ? { ended: call } : {};
		if (totalTokens(use.counts) > 0 || "ended" in ended) await this.#keep({ use, ...ended });
	}

	/** One more message was answered; it is told with the next tokens. Resolves when it is on disk. */
	addMessage(): Promise<void> {
		return this.#keep({ messages: 1 });
	}

	/** The report to tell, the same one until it is told. It is on disk before anybody hears of it. */
	async next(): Promise<MeteredReport | undefined> {
		if (this.#report) return this.#report;
		const [use] = this.#uses;
		if (!use) return undefined;
		// What is used from here on is none of this report's.
		const report = reportOf(use, randomUUID(), this.#messages);
		const writing = this.#journal.append({ report } satisfies SpoolRecord);
		this.#take({ report });
		await writing.catch(async (error: unknown) => {
			this.#putBack(report, use);
			throw error;
		});
		return report;
	}

	/** The platform has the report, or will never take it. */
	async told(report: MeteredReport): Promise<void> {
		if (this.#report?.report_id === report.report_id) await this.#keep({ told: report.report_id });
	}

	/** Leaves in the file only what is not told. */
	async close(): Promise<void> {
		await this.#rewrite();
		await this.#journal.close();
	}

	/** In memory at once, so that everything later finds it. */
	async #keep(record: SpoolRecord): Promise<void> {
		this.#take(record);
		if (this.#journal.size > maxFileBytes) await this.#rewrite();
		else await this.#journal.append(record);
	}

	#take(record: SpoolRecord): void {
		if ("begun" in record) this.#begun.set(record.begun, record.use);
		else if ("use" in record) this.#takeUse(record.use, record.ended);
		else if ("messages" in record) this.#messages += record.messages;
		else if ("told" in record) this.#report = undefined;
		else {
			const { report } = record;
			this.#report = report;
			// Not simply the first: on a full disk the file may lack uses that are in the report.
			const told = this.#uses.find((use) => isToldWith(use, report));
			this.#uses = this.#uses.filter((use) => use !== told);
			this.#messages = 0;
		}
	}

	#takeUse(use: Use, ended = ""): void {
		this.#begun.delete(ended);
		if (totalTokens(use.counts) > 0) this.#uses = addUse(this.#uses, use);
	}

	/** It could not be kept, so nobody hears of it. */
	#putBack({ message_count }: MeteredReport, use: Use): void {
		this.#report = undefined;
		this.#uses = this.#uses.reduce<Use[]>(addUse, [use]);
		this.#messages += message_count;
	}

	#rewrite(): Promise<void> {
		return this.#journal.rewrite(() => [
			...(this.#report ? [{ report: this.#report } satisfies SpoolRecord] : []),
			...this.#uses.map((use): SpoolRecord => ({ use })),
			...[...this.#begun].map(([begun, use]): SpoolRecord => ({ begun, use })),
			...(this.#messages > 0 ? [{ messages: this.#messages } satisfies SpoolRecord] : []),
		]);
	}
}

/** Only this program writes the file; a line that is damaged is not one of its. */
function isRecord(record: unknown): record is SpoolRecord {
	return isJsonObject(record) && ["use", "messages", "report", "told"].some((name) => name in record);
}
