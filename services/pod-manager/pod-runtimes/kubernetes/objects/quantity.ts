/** Reads amounts as a cluster writes them (Kubernetes, "Quantity"). Pure. */
import { byteUnits } from "#shared/base/byte-units.ts";

/** A cluster writes a very large or exact amount with an exponent, and a part of a byte in thousandths. */
const form = /^(\d+(?:\.\d+)?)(?:([KMGTPE]i|[kMGTPE]|m)|[eE](\d{1,2}))?$/;

/** Returns the bytes; 0 for a text that is no quantity. */
export function quantityBytes(text: string): number {
	const [, amount, unit, exponent] = form.exec(text) ?? [];
	if (amount === undefined) return 0;
	if (exponent !== undefined) return Math.floor(Number(`${amount}e${exponent}`));
	return Math.floor(Number(amount) * factorOf(unit));
}

function factorOf(unit: string | undefined): number {
	if (unit === undefined) return 1;
	return unit === "m" ? 1e-3 : (byteUnits[unit] ?? 0);
}
