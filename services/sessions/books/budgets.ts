/**
 * Reservations: before a turn, and before each of its model calls, what it may cost is held in the accounts of its
 * session, of the owner's day and of the tenant's day, in this order; where one does not fit, all is given back. The
 * store refuses what would pass a limit, so that no number of turns at once does.
 */
import { type Principal, systemPrincipal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import type { PlannedCall, Reservation, ReservationRequest } from "#shared/contracts/budgets.ts";
import type { BudgetReason, BudgetScope, Session } from "#shared/contracts/session-resource.ts";
import { noTokens, type TokenCounts } from "#shared/models/token-counts.ts";
import { NotFoundError } from "#shared/errors.ts";
import { failpoint } from "#shared/failpoints.ts";
import type { SessionRecord } from "../record/session-change.ts";
import { DoesNotFitError, type SessionRecords } from "../record/session-records.ts";
import { refuseStale } from "../record/stale-launch.ts";
import { accountOf, heldBy, holdId, holdMs, missing, type Wish, withoutEnded } from "../record/account.ts";
import type { BudgetLimits } from "./budget-limits.ts";
import { type DayAccounts, dayOf, type Payer } from "./day-accounts.ts";
import { dollarsOf, priceTag } from "#shared/models/money.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import type { PriceList } from "./price-list.ts";
import { budgetExceeded, holdChange, pauseChange, releaseChange, resumeChange } from "../record/session-budget.ts";

const claimer = systemPrincipal("budgets");

export interface BudgetParts {
	readonly records: SessionRecords;
	readonly accounts: DayAccounts;
	readonly limits: BudgetLimits;
	readonly prices: PriceList;
}

/** One of the accounts a turn is paid from, if it has a limit. */
interface Purse {
	readonly scope: BudgetScope;
	readonly limit: number;
	/** How much more it would have to hold, and what it has committed. */
	look(): Promise<{ by: number; committed: number }>;
	/** By how much more it holds now; undefined when that does not fit. */
	take(): Promise<number | undefined>;
	giveBack(by: number): Promise<void>;
}

export class Budgets {
	readonly #parts: BudgetParts;
	readonly #sessions = new KeyedMutex();

	constructor(parts: BudgetParts) {
		this.#parts = parts;
	}

	/**
	 * The same id raises what it holds, so that a repeat changes nothing.
	 * @throws {NotFoundError}; {ConflictError} from the pod of an older launch.
	 */
	reserve(principal: Principal, id: string, request: ReservationRequest): Promise<Reservation> {
		return this.#sessions.run(id, () => this.#reserve(principal, id, request));
	}

	/** Gives back what is left; nothing happens when there is nothing. @throws {NotFoundError} */
	release(principal: Principal, id: string, reservation: string): Promise<void> {
		return this.#sessions.run(id, () => this.#release(principal, id, holdId(id, reservation)));
	}

	/** Whether any limit applies to a session; false for one that is gone. */
	async isLimited(id: string): Promise<boolean> {
		try {
			const record = await this.#parts.records.get(claimer, id);
			return (await this.#purses(claimer, record, { id, used: 0, next: 0 })).length > 0;
		} catch (error) {
			if (error instanceof NotFoundError) return false;
			throw error;
		}
	}

	async #reserve(principal: Principal, id: string, request: ReservationRequest): Promise<Reservation> {
		const record = await this.#parts.records.get(principal, id);
		refuseStale(principal, record.session.generation);
		const wish = this.#wishOf(id, request);
		const purses = await this.#purses(principal, record, wish);
		const answer = { limited: purses.length > 0, reservation_id: request.reservation_id };
		const unpriced = this.#unpriced(record, request, purses);
		if (unpriced) return { ...answer, granted: false, amount: 0, reason: unpriced };
		const free = purses.length === 0 || wish.next === 0;
		const refused = free ? undefined : ((await firstTooSmall(purses)) ?? (await takeAll(purses)));
		if (!refused) {
			await this.#parts.records.change(principal, id, (current) => resumeChange(current, now()));
			const amount = free ? 0 : await this.#held(principal, record, wish);
			return { ...answer, granted: true, amount: dollarsOf(amount), reason: null };
		}
		const reason = reasonOf(refused, wish);
		if (!asksAgain(request))
			await this.#parts.records.change(principal, id, (current) => pauseChange(current, reason, now()));
		return { ...answer, granted: false, amount: dollarsOf(wish.next), reason };
	}

	async #release(principal: Principal, id: string, hold: string): Promise<void> {
		const { records, accounts } = this.#parts;
		const { session } = await records.change(principal, id, (current) => releaseChange(current, hold, now()));
		for (const payer of payersOf(session)) {
			for (const day of daysOfHolds()) await accounts.release(payer, day, hold);
		}
	}

	/** Why a call is refused of a model whose cost nobody knows, in a session with a limit. */
	#unpriced(
		{ session }: SessionRecord,
		{ calls, model }: ReservationRequest,
		[purse]: readonly Purse[],
	): BudgetReason | undefined {
		if (!purse || !calls || this.#parts.prices.mayBeCalled(model, session.model)) return undefined;
		const message = `The model "${model}" has no price here, so a session with a budget may not call it`;
		return { code: "MODEL_NOT_PRICED", message, scope: purse.scope };
	}

	#wishOf(session: string, { reservation_id, model, input_tokens, calls, used = [] }: ReservationRequest): Wish {
		const { prices } = this.#parts;
		const spent = used.reduce((sum, one) => sum + prices.spentOn(one.model, countsOf(one)), 0);
		const next = calls
			? calls.reduce((sum, call) => sum + prices.estimate(call.model, sizeOf(call)), 0)
			: prices.estimate(model, { ...(input_tokens !== undefined && { input: input_tokens }) });
		return { id: holdId(session, reservation_id), used: spent, next };
	}

	async #purses(principal: Principal, record: SessionRecord, wish: Wish): Promise<Purse[]> {
		const { limit_micros } = record.document;
		const own = limit_micros === undefined ? [] : [this.#sessionPurse(principal, record, wish, limit_micros)];
		const [user, tenant] = payersOf(record.session);
		return [...own, ...(await this.#dayPurse("user", user, wish)), ...(await this.#dayPurse("tenant", tenant, wish))];
	}

	#sessionPurse(principal: Principal, { session: { id } }: SessionRecord, wish: Wish, limit: number): Purse {
		const { records } = this.#parts;
		return {
			scope: "session",
			limit,
			async look() {
				const { document } = await records.get(principal, id);
				const account = withoutEnded(accountOf(document), now());
				return { by: missing(account, wish), committed: account.committed };
			},
			async take() {
				let raisedBy = 0;
				try {
					await records.change(principal, id, (current) => {
						const { change, by } = holdChange(current, wish, now());
						raisedBy = by;
						return by === 0 && !current.session.budget.paused && !isEnding(current, wish) ? undefined : change;
					});
				} catch (error) {
					if (error instanceof DoesNotFitError) return undefined;
					throw error;
				}
				failpoint("budgets.session-held");
				return raisedBy;
			},
			async giveBack(by) {
				await records.change(principal, id, (current) => releaseChange(current, wish.id, now(), by));
			},
		};
	}

	async #dayPurse(scope: "user" | "tenant", payer: Payer, wish: Wish): Promise<Purse[]> {
		const { accounts, limits } = this.#parts;
		const { micros: limit } = await limits.of(payer);
		if (limit === undefined) return [];
		const day = dayOf(now());
		return [
			{
				scope,
				limit,
				look: () => accounts.missing(payer, day, wish),
				async take() {
					const by = await accounts.hold(payer, day, limit, wish);
					failpoint("budgets.day-held");
					return by;
				},
				giveBack: (by) => accounts.release(payer, day, wish.id, by),
			},
		];
	}

	/** What the reservation holds, in the first account that has a limit. */
	async #held(principal: Principal, { session, document }: SessionRecord, wish: Wish): Promise<number> {
		if (document.limit_micros === undefined) return wish.next;
		return heldBy(accountOf((await this.#parts.records.get(principal, session.id)).document), wish.id);
	}
}

/** The first that would be passed, as it is now; nothing is written. */
async function firstTooSmall(purses: readonly Purse[]): Promise<Purse | undefined> {
	for (const purse of purses) {
		const { by, committed } = await purse.look();
		if (by > 0 && committed + by > purse.limit) return purse;
	}
	return undefined;
}

/** Takes from all, or gives back and names the first that was too small. */
async function takeAll(purses: readonly Purse[]): Promise<Purse | undefined> {
	const taken: { purse: Purse; by: number }[] = [];
	for (const purse of purses) {
		const by = await purse.take();
		if (by !== undefined) {
			taken.unshift({ purse, by });
			continue;
		}
		// What cannot be given back now ends by itself.
		await Promise.allSettled(taken.map((former) => former.purse.giveBack(former.by)));
		return purse;
	}
	return undefined;
}

/** Whether a hold should be kept for a further time. */
function isEnding({ document }: SessionRecord, { id }: Wish): boolean {
	const hold = accountOf(document).holds.find((one) => one.id === id);
	return !hold || hold.until - now() < holdMs / 2;
}

function payersOf({ tenant_id, owner_id }: Session): [user: Payer, tenant: Payer] {
	const tenant = tenant_id ?? "";
	return [{ tenant, owner: owner_id ?? "" }, { tenant }];
}

/** A hold that still counts was made on one of these. */
function daysOfHolds(): string[] {
	const at = now();
	return [...new Set([dayOf(at), dayOf(at - holdMs)])];
}

function sizeOf({ input_tokens: input = Infinity, output_tokens: output = Infinity }: PlannedCall) {
	return { input, output };
}

function countsOf(used: NonNullable<ReservationRequest["used"]>[number]): TokenCounts {
	const { input_tokens: input, output_tokens: output, cache_read_tokens, cache_write_tokens } = used;
	return {
		input: input ?? noTokens.input,
		output: output ?? noTokens.output,
		cache_read: cache_read_tokens ?? noTokens.cache_read,
		cache_write: cache_write_tokens ?? noTokens.cache_write,
	};
}

/** Beside others a call asks for the most it may use, and again for less when it is alone. */
function asksAgain({ calls = [] }: ReservationRequest): boolean {
	return calls.length > 1;
}

const whose: Record<BudgetScope, string> = {
	session: "of the session",
	user: "of its owner for today",
	tenant: "of the tenant for today",
};

function reasonOf({ scope, limit }: Purse, { next }: Wish): BudgetReason {
	const message = `The budget ${whose[scope]}, ${priceTag(limit)}, does not allow a further model call, for which ${priceTag(next)} is reserved`;
	return { code: budgetExceeded, message, scope };
}
