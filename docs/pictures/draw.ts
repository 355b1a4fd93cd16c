/** `npm run pictures`: writes the pictures of the documents, for light and for dark pages. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemPicture } from "./system.ts";

for (const mode of ["light", "dark"] as const)
	writeFileSync(join(import.meta.dirname, `system-${mode}.svg`), systemPicture(mode));
