/** A finding about one factor of a pull request, and the texts in it, which its author may have chosen. Pure. */
import type { Proof } from "#shared/contracts/git/confidence.ts";
import type { Cap, FactorName } from "../formula/factors.ts";

/** The value of one factor with its proofs, and the actions that it rules out. */
export interface Finding {
	readonly factor: FactorName;
	/** A value from 0 to 10. */
	readonly tenths: number;
	readonly proofs: readonly Proof[];
	readonly caps: readonly Cap[];
}

/** The most proofs of one factor; a last one says how many more there are. */
const maxProofs = 20;
const maxName = 200;
const maxUrl = 500;

/** Control characters and those that turn the direction of the text around them. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns a name in quotes as a sentence may show it: on one line, at most 200 characters. */
export function quoted(name: string): string {
	const start = name.slice(0, maxName).replaceAll(unprintable, "\u{FFFD}");
	return `"${start}${name.length > maxName ? "…" : ""}"`;
}

/** Returns the URL when a browser may open it, otherwise null: a check may name any target. */
export function webUrl(url: string | null | undefined): string | null {
	if (typeof url !== "string" || url.length > maxUrl || !URL.canParse(url)) return null;
	const { protocol, href } = new URL(url);
	return protocol === "https:" || protocol === "http:" ? href : null;
}

/** Returns the time in UTC; null for a text that is none. */
export function timeOf(at: string | null | undefined): string | null {
	const time = typeof at === "string" && at.length <= 50 ? Date.parse(at) : Number.NaN;
	return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns the first proofs, and one that counts the others. */
export function boundedProofs(proofs: readonly Proof[]): Proof[] {
	if (proofs.length <= maxProofs) return [...proofs];
	const more = { what: `${proofs.length - maxProofs} more`, where: null, when: null };
	return [...proofs.slice(0, maxProofs), more];
}
