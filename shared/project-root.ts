/** The folder of this checkout or installation: where `package.json` stands. */
import { join } from "node:path";

export const projectRoot = join(import.meta.dirname, "..");
