/**
 * Reports that the platform has not heard yet, in order, on disk: the next pod of the session delivers what this one
 * cannot. Within bounds, so that a platform that stays away fills no disk.
 */
import type { ToldEvent } from "#shared/contracts/history.ts";
import { jsonBytes } from "#shared/pod/answer-size.ts";
import type { NumberedReport, ReportContent } from "./history-report.ts";
import { isJsonObject } from "../io/json-object.ts";
import { Journal } from "../io/journal.ts";
import { shrinkReports } from "./spool-shrink.ts";
import type { RawEvent } from "../timeline/timeline-log.ts";

export interface SpoolLimits {
	/** Bytes of the file. Default 16 MiB. */
	fileBytes: number;
	/** Bytes of the reports that wait. Default 12 MiB. */
	waitingBytes: number;
}

const defaultLimits: SpoolLimits = { fileBytes: 16 * 1_048_576, waitingBytes: 12 * 1_048_576 };
/** What was heard may stay in the file up to this; the platform does not mind to hear it again. */
const staleBytes = 1_048_576;

/** What is known without the reports themselves. */
interface Newest {
	/** Launch and number of the newest report. */
	launch: number;
	n: number;
	/** Id of the newest turn that was put in. */
	turn?: string;
	/** Events that were ever put in; default 0. */
	events?: number;
}

type SpoolRecord = { report: NumberedReport } | { newest: Newest };

export class HistorySpool {
	readonly #journal: Journal;
	readonly #limits: SpoolLimits;
	#waiting: NumberedReport[] = [];
	#bytes = 0;
	#newest: Newest;

	private constructor(journal: Journal, launch: number, limits: SpoolLimits) {
		this.#journal = journal;
		this.#limits = limits;
		this.#newest = { launch, n: 0 };
	}

	/** @param launch Whose reports are added. */
	static async open(file: string, launch: number, limits: Partial<SpoolLimits> = {}): Promise<HistorySpool> {
		const { journal, records } = await Journal.open(file);
		const spool = new HistorySpool(journal, launch, { ...defaultLimits, ...limits });
		for (const record of records) if (isRecord(record)) spool.#load(record);
		if (spool.#newest.launch !== launch) spool.#newest = { ...spool.#newest, launch, n: 0 };
		return spool;
	}

	/** Id of the newest turn that was ever put in. */
	get newestTurn(): string | undefined {
		return this.#newest.turn;
	}

	/** Launch and number of the newest report. */
	get newest(): { launch: number; n: number } {
		const { launch, n } = this.#newest;
		return { launch, n };
	}

	/** The oldest report that waits. */
	next(): NumberedReport | undefined {
		return this.#waiting[0];
	}

	/** Resolves when the reports are on disk. */
	async add(contents: readonly ReportContent[]): Promise<void> {
		for (const content of contents) await this.#add(content);
	}

	/** The platform has the report. */
	async acknowledge({ launch, n }: NumberedReport): Promise<void> {
		const [first] = this.#waiting;
		if (!first || first.launch !== launch || first.n !== n) return;
		this.#waiting.shift();
		this.#bytes -= jsonBytes(first);
		if (this.#journal.size > this.#bytes + staleBytes) await this.#rewrite();
	}

	/** Leaves in the file only what waits. */
	async close(): Promise<void> {
		await this.#rewrite();
		await this.#journal.close();
	}

	async #add(content: ReportContent): Promise<void> {
		const { launch, n } = this.#newest;
		const { events, ...others } = content;
		const report: NumberedReport = { launch, n: n + 1, ...others, ...(events && { events: this.#numbered(events) }) };
		const bytes = jsonBytes(report);
		if (this.#journal.size + bytes > this.#limits.fileBytes) await this.#rewrite();
		await this.#journal.append({ report } satisfies SpoolRecord);
		this.#load({ report });
		if (this.#bytes <= this.#limits.waitingBytes) return;
		this.#waiting = shrinkReports(this.#waiting, this.#limits.waitingBytes);
		this.#bytes = this.#waiting.reduce((sum, one) => sum + jsonBytes(one), 0);
		await this.#rewrite();
	}

	/** Events are numbered over all launches. */
	#numbered(events: readonly RawEvent[]): ToldEvent[] {
		const { events: before = 0 } = this.#newest;
		return events.map((event, index) => ({ ...event, sequence: before + index }));
	}

	#load(record: SpoolRecord): void {
		if ("newest" in record) {
			this.#newest = record.newest;
			return;
		}
		const { report } = record;
		this.#waiting.push(report);
		this.#bytes += jsonBytes(report);
		const turn = report.turns.at(-1)?.id ?? this.#newest.turn;
		const events = (this.#newest.events ?? 0) + (report.events?.length ?? 0);
		this.#newest = { launch: report.launch, n: report.n, events, ...(turn !== undefined && { turn }) };
	}

	/** The newest comes last: what the reports tell of it is older. */
	#rewrite(): Promise<void> {
		return this.#journal.rewrite(() => [
			...this.#waiting.map((report): SpoolRecord => ({ report })),
			{ newest: this.#newest } satisfies SpoolRecord,
		]);
	}
}

/** Only this program writes the file; a line that is damaged is not one of its. */
function isRecord(record: unknown): record is SpoolRecord {
	return isJsonObject(record) && ("report" in record || "newest" in record);
}
