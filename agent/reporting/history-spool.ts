/**
 * The reports that the platform has not acknowledged, in order, on disk. The next pod of the session delivers what
 * this one cannot. The bounds keep a platform that is down for long from filling the disk.
 */
import type { ReportedEvent } from "#shared/contracts/sessions/history.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import type { NumberedReport, ReportContent } from "./history-report.ts";
import { Journal } from "#shared/base/files/journal.ts";
import { shrinkReports } from "./spool-shrink.ts";
import type { RawEvent } from "../timeline/timeline-log.ts";

export interface SpoolLimits {
	/** The size of the file in bytes. The default is 16 MiB. */
	fileBytes: number;
	/** The bytes of the reports that wait. The default is 12 MiB. */
	waitingBytes: number;
	/** The failures after which a report is set aside. The default is 12: with the waits, two to three minutes. */
	failures: number;
}

const defaultLimits: SpoolLimits = { fileBytes: 16 * 1_048_576, waitingBytes: 12 * 1_048_576, failures: 12 };
/** The bound on the reports that were set aside. */
const asideBytes = 4 * 1_048_576;
/** The bound on acknowledged reports in the file; the platform accepts a report that it has already. */
const staleBytes = 1_048_576;

/** The numbers of the newest reports, which outlive the reports themselves. */
interface Newest {
	/** The launch and number of the newest report. */
	launch: number;
	n: number;
	/** The id of the newest turn that was added. */
	turn?: string;
	/** The number of events that were ever added. The default is 0. */
	events?: number;
}

type SpoolRecord = { report: NumberedReport } | { newest: Newest };

/** The file and its reports in memory; the owner closes it. */
export class HistorySpool {
	readonly #file: string;
	readonly #journal: Journal<SpoolRecord>;
	readonly #limits: SpoolLimits;
	#waiting: NumberedReport[] = [];
	#bytes = 0;
	#newest: Newest;
	/** The failures of the oldest report. */
	#failures = 0;

	private constructor(file: string, journal: Journal<SpoolRecord>, launch: number, limits: SpoolLimits) {
		this.#file = file;
		this.#journal = journal;
		this.#limits = limits;
		this.#newest = { launch, n: 0 };
	}

	/** @param launch The launch whose reports are added. */
	static async open(file: string, launch: number, limits: Partial<SpoolLimits> = {}): Promise<HistorySpool> {
		const { journal, records } = await Journal.open<SpoolRecord>(file, ["report", "newest"]);
		const spool = new HistorySpool(file, journal, launch, { ...defaultLimits, ...limits });
		for (const record of records) spool.#load(record);
		if (spool.#newest.launch !== launch) spool.#newest = { ...spool.#newest, launch, n: 0 };
		return spool;
	}

	/** The id of the newest turn that was ever added. */
	get newestTurn(): string | undefined {
		return this.#newest.turn;
	}

	/** The launch and number of the newest report. */
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

	/** Removes a report that the platform has. */
	async acknowledge({ launch, n }: NumberedReport): Promise<void> {
		const [first] = this.#waiting;
		if (!first || first.launch !== launch || first.n !== n) return;
		this.#waiting.shift();
		this.#failures = 0;
		this.#bytes -= jsonBytes(first);
		if (this.#journal.size > this.#bytes + staleBytes) await this.#rewrite();
	}

	/**
	 * Counts a failure of the oldest report. One that has failed too often is set aside in a file of its own, so that later reports
	 * get their turn. Resolves with that file; undefined when the report still waits.
	 */
	async failed(report: NumberedReport): Promise<string | undefined> {
		this.#failures++;
		if (this.#failures < this.#limits.failures) return undefined;
		const file = `${this.#file}.failed`;
		const { journal } = await Journal.open(file);
		try {
			if (journal.size + jsonBytes(report) <= asideBytes) await journal.append({ report });
		} finally {
			await journal.close();
		}
		await this.acknowledge(report);
		return file;
	}

	/** Rewrites the file with only the reports that wait. */
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
		await this.#journal.append({ report });
		this.#load({ report });
		if (this.#bytes <= this.#limits.waitingBytes) return;
		this.#waiting = shrinkReports(this.#waiting, this.#limits.waitingBytes);
		this.#bytes = this.#waiting.reduce((sum, one) => sum + jsonBytes(one), 0);
		await this.#rewrite();
	}

	/** Numbers the events; the numbers continue over all launches. */
	#numbered(events: readonly RawEvent[]): ReportedEvent[] {
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

	/** The newest numbers come last, because those in the reports are older. */
	#rewrite(): Promise<void> {
		return this.#journal.rewrite(() => [
			...this.#waiting.map((report): SpoolRecord => ({ report })),
			{ newest: this.#newest },
		]);
	}
}
