/** `npm run pictures`: writes the pictures of the documents, for light and for dark pages. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "#shared/config/command-line.ts";
import { systemPicture } from "./system.ts";

readCommandLine({
	usage: "npm run pictures",
	summary: "Writes the pictures of the documents (docs/pictures).",
	operands: { help: {}, most: 0 },
	options: {},
});

for (const mode of ["light", "dark"] as const)
	writeFileSync(join(import.meta.dirname, `system-${mode}.svg`), systemPicture(mode));
