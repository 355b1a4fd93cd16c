/** Where Node keeps compiled code for all tests: none has to compile what another one has compiled before. */
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Node's own choice, too; what is there harms nobody and is found again by content. */
export const compiled = join(tmpdir(), "node-compile-cache");
