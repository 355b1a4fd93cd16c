/** Model calls that a budget admits and whose usage is reported. */
import type { ModelCallsDependencies } from "../model-calls.ts";
import type { BudgetGate } from "./budget-gate.ts";
import type { UsageReporter } from "./usage-reporter.ts";

/** Returns how calls are asked for and recorded. */
export function accountedCalls(
	gate: BudgetGate,
	usage: UsageReporter,
): Pick<ModelCallsDependencies, "onCall" | "onBegun" | "isLimited" | "admit"> {
	return {
		onCall: (call) => {
			usage.add(call, gate.reservationId);
			gate.used(call);
		},
		onBegun: (call) => usage.begin(call, gate.reservationId),
		isLimited: () => gate.isLimited,
		admit: (call, leaving) => {
			if (gate.isLimited) usage.reportSoon();
			return gate.admit(call, leaving);
		},
	};
}
