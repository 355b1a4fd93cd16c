/**
 * Reserves budget: before a turn, and before each of its model calls, the possible cost is held in the accounts of its
 * session, of the owner's day and of the tenant's day, in this order. When one of them has too little, all holds are
 * released. The store refuses a write that would exceed a limit, so no number of concurrent turns does.
 */
import { type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { now } from "#shared/base/clock.ts";
import type { PlannedCall, Reservation, ReservationRequest } from "#shared/contracts/sessions/budgets.ts";
import type { BudgetReason, BudgetScope, Session } from "#shared/contracts/sessions/session-resource.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import { DoesNotFitError, type SessionRecords } from "../record/session-records.ts";
import { accountOf, heldBy, holdId, holdMs, missing, type HoldRequest, withoutEnded } from "../record/account.ts";
import type { BookMetrics } from "./book-metrics.ts";
import type { BudgetLimits } from "./budget-limits.ts";
import { type DayAccounts, dayOf, type Payer, type TimedHoldRequest } from "./day-accounts.ts";
import { dollarsOf, priceTag } from "#shared/wire/models/money.ts";
import { bucketsOf, type PriceList } from "./price-list.ts";
import { budgetExceeded, holdChange, pauseChange, releaseChange, resumeChange } from "../record/session-budget.ts";

const claimer = systemPrincipal("budgets");

interface BudgetsDependencies {
	readonly records: SessionRecords;
	readonly accounts: DayAccounts;
	readonly limits: BudgetLimits;
	readonly prices: PriceList;
	readonly measured: Pick<BookMetrics, "paused">;
}

/** An account with a limit from which a turn is paid. */
interface LimitedAccount {
	readonly scope: BudgetScope;
	readonly limit: number;
	/** Returns the amount by which its hold would have to be raised, and the committed amount. */
	look(): Promise<{ by: number; committed: number }>;
	/** Raises its hold; returns the added amount, or undefined when the limit would be exceeded. */
	take(): Promise<number | undefined>;
	release(by: number): Promise<void>;
}

/** The reservations of one process; all state is in the store. */
export class Budgets {
	readonly #dependencies: BudgetsDependencies;
	readonly #sessions = new KeyedQueues();

	constructor(dependencies: BudgetsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Reserves an amount, or raises the reservation of the same id; a repeated request changes nothing.
	 * @throws {NotFoundError}; {ConflictError} from the pod of an older launch.
	 */
	reserve(principal: Principal, id: string, request: ReservationRequest, deadline?: number): Promise<Reservation> {
		return this.#sessions.run(id, () => this.#reserve(principal, id, request, deadline), { deadline });
	}

	/** Releases the rest of a reservation; does nothing when there is none. @throws {NotFoundError} */
	release(principal: Principal, id: string, reservation: string): Promise<void> {
		return this.#sessions.run(id, () => this.#release(principal, id, holdId(id, reservation)));
	}

	/**
	 * Releases what the turns of a session hold in the accounts of its owner and tenant. Called when its pod is gone: one
	 * that was lost has released nothing.
	 */
	async releaseAll({ id, tenant = "", owner = "" }: SessionDocument): Promise<void> {
		for (const payer of [{ tenant, owner }, { tenant }]) {
			for (const day of daysOfHolds()) await this.#dependencies.accounts.releaseAll(payer, day, id);
		}
	}

	/** Whether any limit applies to a session; false for one that no longer exists. */
	async isLimited(id: string): Promise<boolean> {
		try {
			const record = await this.#dependencies.records.get(claimer, id);
			return (await this.#limitedAccounts(claimer, record, { id, used: 0, next: 0 })).length > 0;
		} catch (error) {
			if (error instanceof NotFoundError) return false;
			throw error;
		}
	}

	async #reserve(
		principal: Principal,
		id: string,
		request: ReservationRequest,
		deadline: number | undefined,
	): Promise<Reservation> {
		const record = await this.#dependencies.records.get(principal, id);
		const wanted = { ...this.#holdRequestOf(id, request), deadline };
		const limited = await this.#limitedAccounts(principal, record, wanted);
		const answer = { limited: limited.length > 0, reservation_id: request.reservation_id };
		const unpriced = this.#unpriced(record, request, limited);
		if (unpriced) return { ...answer, granted: false, amount: 0, reason: unpriced };
		const free = limited.length === 0 || wanted.next === 0;
		const refused = free ? undefined : ((await firstTooSmall(limited)) ?? (await takeAll(limited)));
		if (!refused) {
			await this.#dependencies.records.change(principal, id, (current) => resumeChange(current, now()));
			const amount = free ? 0 : await this.#held(principal, record, wanted);
			return { ...answer, granted: true, amount: dollarsOf(amount), reason: null };
		}
		const reason = reasonOf(refused, wanted, (await refused.look()).committed);
		if (!asksAgain(request)) {
			await this.#dependencies.records.change(principal, id, (current) => pauseChange(current, reason, now()));
			if (!record.session.budget.paused) this.#dependencies.measured.paused(reason.scope);
		}
		return { ...answer, granted: false, amount: dollarsOf(wanted.next), reason };
	}

	async #release(principal: Principal, id: string, hold: string): Promise<void> {
		const { records, accounts } = this.#dependencies;
		const { session } = await records.change(principal, id, (current) => releaseChange(current, hold, now()));
		for (const payer of payersOf(session)) {
			for (const day of daysOfHolds()) await accounts.release(payer, day, hold);
		}
	}

	/** Returns the refusal of a call of a model with unknown cost, in a session with a limit. */
	#unpriced(
		{ session }: SessionRecord,
		{ calls, model }: ReservationRequest,
		[account]: readonly LimitedAccount[],
	): BudgetReason | undefined {
		if (!account || !calls || this.#dependencies.prices.mayBeCalled(model, session.model)) return undefined;
		const message = `The model "${model}" has no price here, so a session with a budget may not call it`;
		return { code: "MODEL_NOT_PRICED", message, scope: account.scope };
	}

	#holdRequestOf(
		session: string,
		{ reservation_id, model, input_tokens, calls, used = [] }: ReservationRequest,
	): HoldRequest {
		const { prices } = this.#dependencies;
		const spent = used.reduce((sum, one) => sum + prices.spentOn(one.model, bucketsOf(one)), 0);
		const next = calls
			? calls.reduce((sum, call) => sum + prices.estimate(call.model, sizeOf(call)), 0)
			: prices.estimate(model, { ...(input_tokens !== undefined && { input: input_tokens }) });
		return { id: holdId(session, reservation_id), used: spent, next };
	}

	async #limitedAccounts(
		principal: Principal,
		record: SessionRecord,
		wanted: TimedHoldRequest,
	): Promise<LimitedAccount[]> {
		const { limit_micros } = record.document;
		const own = limit_micros === undefined ? [] : [this.#sessionAccount(principal, record, wanted, limit_micros)];
		const [user, tenant] = payersOf(record.session);
		return [
			...own,
			...(await this.#dayAccount("user", user, wanted)),
			...(await this.#dayAccount("tenant", tenant, wanted)),
		];
	}

	#sessionAccount(
		principal: Principal,
		{ session: { id } }: SessionRecord,
		wanted: HoldRequest,
		limit: number,
	): LimitedAccount {
		const { records } = this.#dependencies;
		return {
			scope: "session",
			limit,
			async look() {
				const { document } = await records.get(principal, id);
				const account = withoutEnded(accountOf(document), now());
				return { by: missing(account, wanted), committed: account.committed };
			},
			async take() {
				try {
					const decided = await records.decide(principal, id, (current) => {
						const { change, by } = holdChange(current, wanted, now());
						const isHeld = by === 0 && !current.session.budget.paused && !isEnding(current, wanted);
						return { change: isHeld ? undefined : change, result: by };
					});
					failpoint("budgets.session-held");
					return decided.result;
				} catch (error) {
					if (error instanceof DoesNotFitError) return undefined;
					throw error;
				}
			},
			async release(by) {
				await records.change(principal, id, (current) => releaseChange(current, wanted.id, now(), by));
			},
		};
	}

	async #dayAccount(scope: "user" | "tenant", payer: Payer, wanted: TimedHoldRequest): Promise<LimitedAccount[]> {
		const { accounts, limits } = this.#dependencies;
		const { micros: limit } = await limits.of(payer);
		if (limit === undefined) return [];
		const day = dayOf(now());
		return [
			{
				scope,
				limit,
				look: () => accounts.missing(payer, day, wanted),
				async take() {
					const by = await accounts.hold(payer, day, limit, wanted);
					failpoint("budgets.day-held");
					return by;
				},
				release: (by) => accounts.release(payer, day, wanted.id, by),
			},
		];
	}

	/**
	 * Returns the amount that the session's account holds for the reservation; without a limit of the session, the
	 * requested amount.
	 */
	async #held(principal: Principal, { session, document }: SessionRecord, wanted: HoldRequest): Promise<number> {
		if (document.limit_micros === undefined) return wanted.next;
		return heldBy(accountOf((await this.#dependencies.records.get(principal, session.id)).document), wanted.id);
	}
}

/** Returns the first account whose limit would be exceeded now; writes nothing. */
async function firstTooSmall(limited: readonly LimitedAccount[]): Promise<LimitedAccount | undefined> {
	for (const account of limited) {
		const { by, committed } = await account.look();
		if (by > 0 && committed + by > account.limit) return account;
	}
	return undefined;
}

/** Raises the holds of all accounts, or of none; returns the first account with too little. */
async function takeAll(limited: readonly LimitedAccount[]): Promise<LimitedAccount | undefined> {
	const taken: { account: LimitedAccount; by: number }[] = [];
	for (const account of limited) {
		const by = await account.take();
		if (by !== undefined) {
			taken.unshift({ account, by });
			continue;
		}
		// A hold that cannot be released now expires by itself.
		await Promise.allSettled(taken.map((former) => former.account.release(former.by)));
		return account;
	}
	return undefined;
}

/** Whether a hold expires soon, so that its lifetime must be extended. */
function isEnding({ document }: SessionRecord, { id }: HoldRequest): boolean {
	const hold = accountOf(document).holds.find((one) => one.id === id);
	return !hold || hold.until - now() < holdMs / 2;
}

function payersOf({ tenant_id, owner_id }: Session): [user: Payer, tenant: Payer] {
	const tenant = tenant_id ?? "";
	return [{ tenant, owner: owner_id ?? "" }, { tenant }];
}

/** Returns the days on which an unexpired hold may have been made. */
function daysOfHolds(): string[] {
	const at = now();
	return [...new Set([dayOf(at), dayOf(at - holdMs)])];
}

function sizeOf({ input_tokens: input = Infinity, output_tokens: output = Infinity }: PlannedCall) {
	return { input, output };
}

/**
 * Whether a refused call will ask again: beside other calls it requests the most that it may use, and less when it is
 * alone.
 */
function asksAgain({ calls = [] }: ReservationRequest): boolean {
	return calls.length > 1;
}

const whose: Record<BudgetScope, string> = {
	session: "of the session",
	user: "of its owner for today",
	tenant: "of the tenant for today",
};

/** The sentence does not change while others spend, because a session is paused again for each new one. */
function reasonOf({ scope, limit }: LimitedAccount, { next }: HoldRequest, committed: number): BudgetReason {
	const forbids = next > limit ? "is too small for one model call" : "does not allow a further model call";
	const message = `The budget ${whose[scope]}, ${priceTag(limit)}, ${forbids}, for which ${priceTag(next)} is reserved`;
	return { code: budgetExceeded, message, scope, spent: dollarsOf(committed), needed: dollarsOf(next) };
}
