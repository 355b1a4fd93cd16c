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
import { accountOf, heldBy, holdId, holdMs, missing, type HoldRequest, withoutEnded } from "../record/account.ts";
import type { BudgetLimits } from "./budget-limits.ts";
import { type DayAccounts, dayOf, type Payer } from "./day-accounts.ts";
import { dollarsOf, priceTag } from "#shared/models/money.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import type { PriceList } from "./price-list.ts";
import { budgetExceeded, holdChange, pauseChange, releaseChange, resumeChange } from "../record/session-budget.ts";

const claimer = systemPrincipal("budgets");

export interface BudgetsDependencies {
	readonly records: SessionRecords;
	readonly accounts: DayAccounts;
	readonly limits: BudgetLimits;
	readonly prices: PriceList;
}

/** One of the accounts a turn is paid from, if it has a limit. */
interface LimitedAccount {
	readonly scope: BudgetScope;
	readonly limit: number;
	/** How much more it would have to hold, and what it has committed. */
	look(): Promise<{ by: number; committed: number }>;
	/** By how much more it holds now; undefined when that does not fit. */
	take(): Promise<number | undefined>;
	release(by: number): Promise<void>;
}

export class Budgets {
	readonly #dependencies: BudgetsDependencies;
	readonly #sessions = new KeyedMutex();

	constructor(dependencies: BudgetsDependencies) {
		this.#dependencies = dependencies;
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
			const record = await this.#dependencies.records.get(claimer, id);
			return (await this.#limitedAccounts(claimer, record, { id, used: 0, next: 0 })).length > 0;
		} catch (error) {
			if (error instanceof NotFoundError) return false;
			throw error;
		}
	}

	async #reserve(principal: Principal, id: string, request: ReservationRequest): Promise<Reservation> {
		const record = await this.#dependencies.records.get(principal, id);
		refuseStale(principal, record.session.generation);
		const wanted = this.#holdRequestOf(id, request);
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
		const reason = reasonOf(refused, wanted);
		if (!asksAgain(request))
			await this.#dependencies.records.change(principal, id, (current) => pauseChange(current, reason, now()));
		return { ...answer, granted: false, amount: dollarsOf(wanted.next), reason };
	}

	async #release(principal: Principal, id: string, hold: string): Promise<void> {
		const { records, accounts } = this.#dependencies;
		const { session } = await records.change(principal, id, (current) => releaseChange(current, hold, now()));
		for (const payer of payersOf(session)) {
			for (const day of daysOfHolds()) await accounts.release(payer, day, hold);
		}
	}

	/** Why a call is refused of a model whose cost nobody knows, in a session with a limit. */
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
		const spent = used.reduce((sum, one) => sum + prices.spentOn(one.model, countsOf(one)), 0);
		const next = calls
			? calls.reduce((sum, call) => sum + prices.estimate(call.model, sizeOf(call)), 0)
			: prices.estimate(model, { ...(input_tokens !== undefined && { input: input_tokens }) });
		return { id: holdId(session, reservation_id), used: spent, next };
	}

	async #limitedAccounts(principal: Principal, record: SessionRecord, wanted: HoldRequest): Promise<LimitedAccount[]> {
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

	async #dayAccount(scope: "user" | "tenant", payer: Payer, wanted: HoldRequest): Promise<LimitedAccount[]> {
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

	/** What the reservation holds, in the first account that has a limit. */
	async #held(principal: Principal, { session, document }: SessionRecord, wanted: HoldRequest): Promise<number> {
		if (document.limit_micros === undefined) return wanted.next;
		return heldBy(accountOf((await this.#dependencies.records.get(principal, session.id)).document), wanted.id);
	}
}

/** The first that would be passed, as it is now; nothing is written. */
async function firstTooSmall(limited: readonly LimitedAccount[]): Promise<LimitedAccount | undefined> {
	for (const account of limited) {
		const { by, committed } = await account.look();
		if (by > 0 && committed + by > account.limit) return account;
	}
	return undefined;
}

/** Takes from all, or gives back and names the first that was too small. */
async function takeAll(limited: readonly LimitedAccount[]): Promise<LimitedAccount | undefined> {
	const taken: { account: LimitedAccount; by: number }[] = [];
	for (const account of limited) {
		const by = await account.take();
		if (by !== undefined) {
			taken.unshift({ account, by });
			continue;
		}
		// What cannot be given back now ends by itself.
		await Promise.allSettled(taken.map((former) => former.account.release(former.by)));
		return account;
	}
	return undefined;
}

/** Whether a hold should be kept for a further time. */
function isEnding({ document }: SessionRecord, { id }: HoldRequest): boolean {
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

function reasonOf({ scope, limit }: LimitedAccount, { next }: HoldRequest): BudgetReason {
	const message = `The budget ${whose[scope]}, ${priceTag(limit)}, does not allow a further model call, for which ${priceTag(next)} is reserved`;
	return { code: budgetExceeded, message, scope };
}
