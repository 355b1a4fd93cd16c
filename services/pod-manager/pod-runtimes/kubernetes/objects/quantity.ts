/** Reads amounts as a cluster writes them (Kubernetes, "Quantity"). Pure. */

const form = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|Pi|k|M|G|T|P|m)?$/;
const units: Readonly<Record<string, number>> = {
	Ki: 2 ** 10,
	Mi: 2 ** 20,
	Gi: 2 ** 30,
	Ti: 2 ** 40,
	Pi: 2 ** 50,
	k: 1e3,
	M: 1e6,
	G: 1e9,
	T: 1e12,
	P: 1e15,
	m: 1e-3,
};

/** Returns the bytes; 0 for a text that is no quantity. */
export function quantityBytes(text: string): number {
	const [, amount, unit] = form.exec(text) ?? [];
	return amount === undefined ? 0 : Math.floor(Number(amount) * (unit === undefined ? 1 : (units[unit] ?? 0)));
}
