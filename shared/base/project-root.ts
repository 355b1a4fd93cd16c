/** The folder of this checkout or installation; `package.json` is in it. */
import { join } from "node:path";

export const projectRoot = join(import.meta.dirname, "../..");
