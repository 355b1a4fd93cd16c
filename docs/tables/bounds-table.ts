/** Makes the table of the bounds in docs/limits.md from shared/base/bounds.ts. */
import { type Bound, bounds } from "#shared/base/bounds.ts";

/** The marks around the table in the page. */
export const tablePlace = /(?<=<!-- bounds -->\n)[^]*(?=<!-- \/bounds -->)/;

const heads = "| of each | at most | | beyond it | key, name |\n|---|---|---|---|---|\n";

export function boundsTable(): string {
	const rows = Object.entries<Bound>(bounds).map(([name, bound]) => {
		const named = bound.key === undefined ? `\`${name}\`` : `\`${bound.key}\`, \`${name}\``;
		return `| ${bound.whose} | ${amountOf(bound)} | ${bound.what} | ${bound.beyond} | ${named} |\n`;
	});
	return heads + rows.join("");
}

function amountOf({ value, unit }: Bound): string {
	if (unit !== "bytes") return `${value.toLocaleString("en")} ${unit}`;
	const isLarge = value >= 1_048_576;
	return `${value / (isLarge ? 1_048_576 : 1_024)} ${isLarge ? "MiB" : "KiB"}`;
}
