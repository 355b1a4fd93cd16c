/** Wires budgets to the bus; the rules are in books/budgets.ts. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { now } from "#shared/base/clock.ts";
import { budgets as contract, type DayBudget } from "#shared/contracts/sessions/budgets.ts";
import { dayOf, type Payer } from "./books/day-accounts.ts";
import type { OpenBooks } from "./books/open-books.ts";
import { dollarsOf, microsOf } from "#shared/wire/models/money.ts";

export function budgetsService({ budgets, limits, accounts, corrections }: OpenBooks): ServiceSchema {
	async function today(payer: Payer): Promise<DayBudget> {
		const [{ micros, isDefault }, { spent, committed, unreserved }] = await Promise.all([
			limits.of(payer),
			accounts.totals(payer, dayOf(now())),
		]);
		return {
			limit: micros === undefined ? null : dollarsOf(micros),
			spent: dollarsOf(spent),
			reserved: dollarsOf(committed - spent),
			unreserved: dollarsOf(unreserved),
			is_default: isDefault,
		};
	}

	async function limit(payer: Payer, dollars: number | null): Promise<DayBudget> {
		await limits.set(payer, dollars === null ? undefined : microsOf(dollars));
		return today(payer);
	}

	return {
		name: contract.name,
		actions: implement(contract, {
			async mine(_params, { tenant, id: owner }) {
				return { user: await today({ tenant, owner }), tenant: await today({ tenant }) };
			},
			tenant: (params, { tenant }) => limit({ tenant }, params.limit),
			reset_tenant: (_params, { tenant }) => limits.reset({ tenant }),
			user: ({ user_id: owner }, { tenant }) => today({ tenant, owner }),
			limit_user: (params, { tenant }) => limit({ tenant, owner: params.user_id }, params.limit),
			reset_user: ({ user_id: owner }, { tenant }) => limits.reset({ tenant, owner }),
			correct_user: ({ user_id, ...request }, principal) => corrections.take(principal, user_id, request),
			reserve: ({ session_id, ...request }, principal, { meta: { deadline } }) =>
				budgets.reserve(principal, session_id, request, deadline),
			release: ({ session_id, reservation_id }, principal) => budgets.release(principal, session_id, reservation_id),
		}),
	};
}
