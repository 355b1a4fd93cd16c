/** Takes reports of usage: each becomes one row of the ledger and is answered when all accounts have booked it. */
import { randomUUID } from "node:crypto";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { UsageRecord, UsageReport } from "#shared/contracts/sessions/usage.ts";
import { ForbiddenError, UnprocessableError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { noTokens, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import type { SessionRecord } from "../record/session-change.ts";
import { mayUseSession, ownershipOf } from "#shared/contracts/access/access-table.ts";
import { desiredOf } from "../record/session-lifecycle.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { BookMetrics } from "./book-metrics.ts";
import type { Bookkeeper } from "./bookkeeper.ts";
import { dayOf } from "./day-accounts.ts";
import type { Ledger } from "./ledger.ts";
import type { LedgerRow } from "./ledger-collection.ts";
import { dollarsOf, microsOf } from "#shared/wire/models/money.ts";
import { bucketsOf, type PriceList } from "./price-list.ts";

/** How long the pod of a finished launch may still report, in milliseconds. */
const lateMs = 24 * 3_600_000;

interface UsageReportsDependencies {
	readonly records: SessionRecords;
	readonly ledger: Ledger;
	readonly prices: PriceList;
	readonly bookkeeper: Bookkeeper;
	readonly measured: Pick<BookMetrics, "used">;
}

/** The reports of one process; all state is in the store. */
export class UsageReports {
	readonly #dependencies: UsageReportsDependencies;

	constructor(dependencies: UsageReportsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Takes a report; a repeated report gets the first answer.
	 * @throws {NotFoundError}; {ForbiddenError} for callers other than the session's pod and owner, and for a pod whose
	 * launch ended more than a day ago; {ConflictError} for another report with the same id; {UnprocessableError}.
	 */
	async take(principal: Principal, id: string, report: UsageReport): Promise<UsageRecord> {
		const { records, ledger, bookkeeper } = this.#dependencies;
		const record = await records.get(principal, id, "report-usage");
		refuseStrangers(principal, record.session);
		const row = this.#rowOf(principal, record, report);
		const stored = await ledger.add(row);
		failpoint("usage.kept");
		if (stored === row) this.#dependencies.measured.used(row);
		await bookkeeper.book(stored);
		return JSON.parse(stored.wire) as UsageRecord;
	}

	/** Makes the row of a report. @throws {UnprocessableError} */
	#rowOf(principal: Principal, { session, document }: SessionRecord, report: UsageReport): LedgerRow {
		const { tokens, provider, message_count, reservation_id, report_id = randomUUID() } = report;
		const source: UsageRecord["source"] = principal.kind === "pod" ? report.source : "user";
		const model = this.#dependencies.prices.idOf(report.model);
		const counts = countsOf(report);
		const launch = launchOf(principal, session, report);
		const micros = this.#dependencies.prices.costOf(report, counts);
		// A reservation holds nothing for a cost that only the reporter knows, so such a cost takes none of it.
		const isPriced = this.#dependencies.prices.knows(report);
		const at = now();
		const id = nameBasedUuid(session.id, "usage", report_id);
		const cost = micros === undefined ? null : dollarsOf(micros);
		const said = { tokens, provider, model, cost, source };
		const answer: UsageRecord = { id, session_id: session.id, recorded_at: isoTime(at), ...said };
		return {
			id,
			wire: JSON.stringify(answer),
			tenant: document.tenant ?? "",
			owner: document.owner ?? "",
			session: session.id,
			at,
			day: dayOf(at),
			report_id,
			fingerprint: fingerprintOf({ ...report, report_id }),
			launch,
			source,
			provider,
			model,
			messages: message_count,
			tokens,
			input_tokens: counts.input,
			output_tokens: counts.output,
			cache_read_tokens: counts.cache_read,
			cache_write_tokens: counts.cache_write,
			price_version: this.#dependencies.prices.version,
			pending_at: at,
			...(micros !== undefined && { micros }),
			...(typeof report.cost === "number" && { reported_micros: microsOf(report.cost) }),
			...(reservation_id !== undefined && isPriced && { reservation: reservation_id }),
		};
	}
}

/**
 * Returns the tokens by bucket. A report without buckets counts as input, for which the contract has its only price of
 * a model.
 * @throws {UnprocessableError} when the buckets do not add up to the total.
 */
function countsOf(report: UsageReport): TokenCounts {
	const { tokens, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = report;
	const named = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens];
	if (named.every((bucket) => bucket === undefined)) return { ...noTokens, input: tokens };
	const counts = bucketsOf(report);
	if (totalTokens(counts) === tokens) return counts;
	throw new UnprocessableError(
		`"tokens" is ${tokens}, but the four buckets have ${totalTokens(counts)} together`,
		"TOKENS_DO_NOT_ADD_UP",
	);
}

/** Returns the launch of a report. @throws {UnprocessableError | ForbiddenError} */
function launchOf({ kind, generation }: Principal, session: Session, { launch }: UsageReport): number {
	const used = launch ?? generation ?? session.generation;
	if (used > session.generation) throw new UnprocessableError(`There was no launch ${used} yet`, "LAUNCH_UNKNOWN");
	if (kind === "pod" && now() - overSince(session, generation ?? 0) > lateMs)
		throw new ForbiddenError(`Launch ${generation} has been over for more than 24 h`, "LAUNCH_OVER");
	return used;
}

/** Returns the time at which a launch had certainly ended; the present time when it may still run. */
function overSince(session: Session, generation: number): number {
	const { timings, status, status_reason } = session;
	if (generation < session.generation) return Date.parse(timings.requested ?? session.updated_at);
	return desiredOf(status) === "run" || !status_reason ? now() : Date.parse(status_reason.since);
}

/** Refuses administrators, who may see the sessions of others but not write their books. @throws {ForbiddenError} */
function refuseStrangers(principal: Principal, session: Session): void {
	if (mayUseSession(principal, "report-usage", ownershipOf(session))) return;
	throw new ForbiddenError("Only the owner of a session and its pod may report what it used");
}
