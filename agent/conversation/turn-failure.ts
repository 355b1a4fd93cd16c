/** Why a turn did not end well, as its model calls tell. */
export interface TurnFailure {
	/** `budget`: a budget refused the last call, so the turn is not complete. */
	readonly stopReason: "error" | "budget";
	readonly sentence: string;
}
