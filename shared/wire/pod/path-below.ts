/**
 * Checks paths below the workspace that users write; they must not lead out of it. Pure.
 * @example
 * ```ts
 * pathBelow("docs//a.md"); // "docs/a.md"
 * pathBelow("../secrets"); // undefined
 * ```
 */
import { normalize } from "node:path";

/** Returns the path in its shortest form; undefined when it is not a path below a folder. */
export function pathBelow(path: string): string | undefined {
	if (path === "" || path.startsWith("/") || path.includes("\0")) return undefined;
	const short = normalize(path).replace(/\/$/, "");
	return short === "." || short === ".." || short.startsWith("../") ? undefined : short;
}
