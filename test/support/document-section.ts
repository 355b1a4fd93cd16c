/** Writes sections of documents that programs generate, between `<!-- name -->` and `<!-- /name -->`. */
import { readFileSync, writeFileSync } from "node:fs";

/** Replaces a section. @throws {Error} when the document has no place for it. */
export function keepSection(document: string, name: string, section: string): void {
	const begin = `<!-- ${name} -->\n`;
	const text = readFileSync(document, "utf8");
	const [from, to] = [text.indexOf(begin), text.indexOf(`<!-- /${name} -->`)];
	if (from < 0 || to < from) throw new Error(`There is no place for the ${name} in "${document}"`);
	writeFileSync(document, `${text.slice(0, from)}${begin}${section}${text.slice(to)}`);
}
