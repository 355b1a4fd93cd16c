/**
 * Used tokens that the platform has not acknowledged, on disk: each use as it was metered, and the one report that is
 * being sent. The next pod continues after a killed one: it sends the same report again, and makes a new report of
 * the other uses. So nothing is lost and nothing counts twice.
 */
import { randomUUID } from "node:crypto";
import { totalTokens } from "#shared/wire/models/token-counts.ts";
import { Journal } from "../../base/files/journal.ts";
import { addUse, isReportedWith, type MeteredReport, reportOf, type Use } from "./usage-report.ts";

type SpoolRecord =
	/** The member `ended` is the id of a call: the use replaces what was recorded when the call began. */
	| { use: Use; ended?: string }
	/** A call under way. Its use counts when the pod that knows its end is gone. */
	| { begun: string; use: Use }
	/** Answered messages that are in no report. */
	| { messages: number }
	/** The report includes the uses that fit it, and all messages. */
	| { report: MeteredReport }
	/** The id of an acknowledged report. */
	| { acknowledged: string };

const maxFileBytes = 262_144;

/** The file and its content in memory; the owner closes it. */
export class UsageSpool {
	readonly #journal: Journal<SpoolRecord>;
	/** The uses that are in no report, oldest first. Uses that fit one report are combined. */
	#uses: Use[] = [];
	/** The uses of calls under way, by the id of the call. */
	readonly #begun = new Map<string, Use>();
	#messages = 0;
	#report: MeteredReport | undefined;

	private constructor(journal: Journal<SpoolRecord>) {
		this.#journal = journal;
	}

	static async open(file: string): Promise<UsageSpool> {
		const { journal, records } = await Journal.open<SpoolRecord>(file, ["use", "messages", "report", "acknowledged"]);
		const spool = new UsageSpool(journal);
		for (const record of records) spool.#take(record);
		// The pod of these calls is gone.
		for (const [call, use] of spool.#begun) await spool.#apply({ use, ended: call });
		return spool;
	}

	get isEmpty(): boolean {
		return this.#uses.length === 0 && this.#report === undefined;
	}

	/** Records a call that begins, with its use so far. Resolves when the record is on disk. */
	begin(call: string, use: Use): Promise<void> {
		return this.#apply({ begun: call, use });
	}

	/** Adds a use, which counts at once. Resolves when it is on disk. @param call The id of the call, which has ended. */
	async add(use: Use, call?: string): Promise<void> {
		const ended = call !== undefined && this.#begun.has(call) ? { ended: call } : {};
		if (totalTokens(use.counts) > 0 || "ended" in ended) await this.#apply({ use, ...ended });
	}

	/** Adds an answered message, which is reported with the next tokens. Resolves when it is on disk. */
	addMessage(): Promise<void> {
		return this.#apply({ messages: 1 });
	}

	/** Returns the report to send: the same one until it is acknowledged. It is on disk before it is sent. */
	async next(): Promise<MeteredReport | undefined> {
		if (this.#report) return this.#report;
		const [use] = this.#uses;
		if (!use) return undefined;
		// Later uses are not part of this report.
		const report = reportOf(use, randomUUID(), this.#messages);
		const writing = this.#journal.append({ report });
		this.#take({ report });
		await writing.catch(async (error: unknown) => {
			this.#putBack(report, use);
			throw error;
		});
		return report;
	}

	/** Removes a report that the platform has, or will never accept. */
	async acknowledge(report: MeteredReport): Promise<void> {
		if (this.#report?.report_id === report.report_id) await this.#apply({ acknowledged: report.report_id });
	}

	/** Rewrites the file with only what is not acknowledged. */
	async close(): Promise<void> {
		await this.#rewrite();
		await this.#journal.close();
	}

	/** Applies the record in memory at once, so that later calls see it, and then writes it. */
	async #apply(record: SpoolRecord): Promise<void> {
		this.#take(record);
		if (this.#journal.size > maxFileBytes) await this.#rewrite();
		else await this.#journal.append(record);
	}

	#take(record: SpoolRecord): void {
		if ("begun" in record) this.#begun.set(record.begun, record.use);
		else if ("use" in record) this.#takeUse(record.use, record.ended);
		else if ("messages" in record) this.#messages += record.messages;
		else if ("acknowledged" in record) this.#report = undefined;
		else {
			const { report } = record;
			this.#report = report;
			// It need not be the first: after a full disk the file may lack uses that are in the report.
			const reported = this.#uses.find((use) => isReportedWith(use, report));
			this.#uses = this.#uses.filter((use) => use !== reported);
			this.#messages = 0;
		}
	}

	#takeUse(use: Use, ended = ""): void {
		this.#begun.delete(ended);
		if (totalTokens(use.counts) > 0) this.#uses = addUse(this.#uses, use);
	}

	/** The report could not be written, so it must not be sent. */
	#putBack({ message_count }: MeteredReport, use: Use): void {
		this.#report = undefined;
		this.#uses = this.#uses.reduce<Use[]>(addUse, [use]);
		this.#messages += message_count;
	}

	#rewrite(): Promise<void> {
		return this.#journal.rewrite(() => [
			...(this.#report ? [{ report: this.#report }] : []),
			...this.#uses.map((use): SpoolRecord => ({ use })),
			...[...this.#begun].map(([begun, use]): SpoolRecord => ({ begun, use })),
			...(this.#messages > 0 ? [{ messages: this.#messages }] : []),
		]);
	}
}
