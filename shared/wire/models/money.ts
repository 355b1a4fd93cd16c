/**
 * Money is stored in whole micro-dollars and shown in dollars.
 * @example
 * ```ts
 * priceTag(microsOf(0.25)); // "$0.25"
 * ```
 */

const microsPerDollar = 1_000_000;

export function dollarsOf(micros: number): number {
	return micros / microsPerDollar;
}

export function microsOf(dollars: number): number {
	return Math.round(dollars * microsPerDollar);
}

/** Formats an amount for sentences: with cents, and with further digits where needed. */
export function priceTag(micros: number): string {
	const exact = dollarsOf(micros)
		.toFixed(6)
		.replace(/0{1,4}$/, "");
	return `$${exact}`;
}
