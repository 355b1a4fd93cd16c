/** `npm run tables`: writes the tables of the documents that follow from the sources. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "#shared/config/command-line.ts";
import { boundsTable, tablePlace } from "./bounds-table.ts";

readCommandLine({
	usage: "npm run tables",
	summary: "Writes the tables of the documents that follow from the sources (docs/limits.md).",
	operands: { help: {}, most: 0 },
	options: {},
});

const page = join(import.meta.dirname, "../limits.md");
writeFileSync(
	page,
	readFileSync(page, "utf8").replace(tablePlace, () => boundsTable()),
);
