/** Reports that the platform refuses from a pod: negative or too large numbers, other times, other budgets. */
type Tale = [method: string, path: string, body: unknown];

/** Returns the reports. @param session The id of the pod's own session. */
export function untrueTales(session: string): Tale[] {
	const usage = { tokens: 1, provider: "cloud", model: "scripted-1" };
	const own = `/sessions/${session}`;
	return [
		["POST", `${own}/usage`, { ...usage, tokens: -1_000_000 }],
		["POST", `${own}/usage`, `{"tokens":NaN,"provider":"cloud","model":"scripted-1"}`],
		["POST", `${own}/usage`, { ...usage, tokens: 1e12 }],
		["POST", `${own}/usage`, { ...usage, model: "unpriced", cost: -5 }],
		["POST", `${own}/usage`, { ...usage, launch: 99 }],
		["PUT", own, { budget: { limit: 1_000 } }],
		["PUT", "/budgets/tenant", { limit: 1_000 }],
		["POST", "/budgets/users/dev-user/corrections", { amount: -1, reason: "mine" }],
		[
			"POST",
			`${own}/reservations`,
			{ reservation_id: "a", model: "scripted-1", used: [{ model: "", output_tokens: -1 }] },
		],
	];
}
