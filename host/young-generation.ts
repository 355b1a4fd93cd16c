/**
 * The size of V8's young generation, where new objects are. V8 doubles it whenever much of it survives. That holds for
 * everything that a start loads, so a start would leave 64 MB of it behind, of which a platform at rest needs 2 MB
 * (docs/decisions/0145-what-a-start-leaves-in-memory.md).
 */
import { setFlagsFromString } from "node:v8";

/** Keeps the young generation at its least size, until `releaseYoungGeneration` is called. */
export function keepYoungGenerationSmall(): void {
	setFlagsFromString("--semi-space-growth-factor=1");
}

/** Lets the young generation grow by what survives from now on, with V8's own factor. */
export function releaseYoungGeneration(): void {
	setFlagsFromString("--semi-space-growth-factor=2");
}
