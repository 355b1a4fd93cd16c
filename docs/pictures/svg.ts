/** Makes the parts of a drawing as SVG: frames, boxes with two lines of text, and arrows with a label. */
import type { Theme } from "./theme.ts";

export interface Box {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
	readonly title: string;
	/** The second line; absent: the title stands alone in the middle. */
	readonly detail?: string;
	/** Whether other boxes stand in it; then both lines are at its top left. */
	readonly isFrame?: boolean;
}

export interface Arrow {
	/** The `d` of an SVG path. */
	readonly path: string;
	readonly isTwoWay?: boolean;
	/** Lines of text, the first one at this place. */
	readonly label?: { readonly x: number; readonly y: number; readonly lines: readonly string[] };
}

const lineHeight = 13;

/** Returns the whole picture. @param description The text for people who do not see it. */
export function drawing(
	{ width, height, description }: { width: number; height: number; description: string },
	boxes: readonly Box[],
	arrows: readonly Arrow[],
	theme: Theme,
): string {
	const head = `marker-end="url(#head)"`;
	const parts = [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">`,
		`<title>${escaped(description)}</title>`,
		`<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8Z" fill="${theme.accent}"/></marker></defs>`,
		`<rect width="${width}" height="${height}" rx="8" fill="${theme.page}"/>`,
		...boxes.map((box) => boxOf(box, theme)),
		...arrows.map(
			({ path, isTwoWay }) =>
				`<path d="${path}" fill="none" stroke="${theme.accent}" stroke-width="1.5" ${head}${isTwoWay ? ` marker-start="url(#head)"` : ""}/>`,
		),
		...arrows.flatMap(({ label }) =>
			(label?.lines ?? []).map((line, index) =>
				textOf(line, { x: label?.x ?? 0, y: (label?.y ?? 0) + index * lineHeight }, smallIn(theme)),
			),
		),
		"</svg>",
	];
	return `${parts.join("\n")}\n`;
}

function boxOf({ x, y, width, height, title, detail, isFrame }: Box, theme: Theme): string {
	const fill = isFrame ? theme.frame : theme.box;
	const rect = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}" stroke="${theme.line}"/>`;
	const bold = `font-size="14" font-weight="600" fill="${theme.text}"`;
	if (isFrame)
		return [
			rect,
			textOf(title, { x: x + 16, y: y + 22, anchor: "start" }, bold),
			textOf(detail ?? "", { x: x + width - 16, y: y + 22, anchor: "end" }, smallIn(theme)),
		].join("\n");
	const middle = { x: x + width / 2, y: y + height / 2 };
	if (detail === undefined) return `${rect}\n${textOf(title, { ...middle, y: middle.y + 5 }, bold)}`;
	return [
		rect,
		textOf(title, { ...middle, y: middle.y - 2 }, bold),
		textOf(detail, { ...middle, y: middle.y + 14 }, smallIn(theme)),
	].join("\n");
}

interface Place {
	readonly x: number;
	readonly y: number;
	/** Default: the text is in the middle of the place. */
	readonly anchor?: "start" | "end";
}

function textOf(text: string, { x, y, anchor }: Place, style: string): string {
	return `<text x="${x}" y="${y}" text-anchor="${anchor ?? "middle"}" ${style}>${escaped(text)}</text>`;
}

function smallIn(theme: Theme): string {
	return `font-size="11" fill="${theme.quiet}"`;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
