/** The folder in which Node stores compiled code for all tests, so that each module is compiled only once. */
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder is also Node's default; existing content is harmless, because it is found by content. */
export const compiled = join(tmpdir(), "node-compile-cache");
