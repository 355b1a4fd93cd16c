/** Corrections of spent amounts: rows of the ledger that only administrators write. */
import { randomUUID } from "node:crypto";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Correction, CorrectionRequest } from "#shared/contracts/sessions/budgets.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { microsOf } from "#shared/wire/models/money.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { Bookkeeper } from "./bookkeeper.ts";
import { dayOf } from "./day-accounts.ts";
import type { Ledger } from "./ledger.ts";

interface CorrectionsDependencies {
	readonly records: SessionRecords;
	readonly ledger: Ledger;
	readonly bookkeeper: Bookkeeper;
}

/** The corrections of one process; all state is in the store. */
export class Corrections {
	readonly #dependencies: CorrectionsDependencies;

	constructor(dependencies: CorrectionsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Writes a correction, which changes today's accounts of the user and the tenant, and the session's account when
	 * one is named.
	 * @throws {NotFoundError} when the session is not the user's; {ConflictError} for another correction with the same
	 * id.
	 */
	async take(principal: Principal, user: string, request: CorrectionRequest): Promise<Correction> {
		const { ledger, records, bookkeeper } = this.#dependencies;
		const { tenant, id: administrator } = principal;
		const { amount, reason, session_id, correction_id = randomUUID() } = request;
		if (session_id !== undefined) {
			const { session } = await records.get(principal, session_id);
			if (session.owner_id !== user) throw new NotFoundError(`"${user}" has no session "${session_id}"`);
		}
		const at = now();
		const id = nameBasedUuid(tenant, user, "correction", correction_id);
		const said = { user_id: user, session_id: session_id ?? null, amount, reason };
		const answer: Correction = { id, ...said, corrected_by: administrator, corrected_at: isoTime(at) };
		const stored = await ledger.add({
			id,
			wire: JSON.stringify(answer),
			tenant,
			owner: user,
			session: session_id ?? "",
			at,
			day: dayOf(at),
			report_id: correction_id,
			fingerprint: fingerprintOf({ ...said, correction_id }),
			source: "correction",
			micros: microsOf(amount),
			pending_at: at,
		});
		await bookkeeper.book(stored);
		return JSON.parse(stored.wire) as Correction;
	}
}
