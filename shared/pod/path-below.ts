/** Paths below the workspace, as users write them; they must not lead out of it. Pure. */
import { normalize } from "node:path";

/** The path in its shortest form, or undefined when it is no path below a folder. */
export function pathBelow(path: string): string | undefined {
	if (path === "" || path.startsWith("/") || path.includes("\0")) return undefined;
	const short = normalize(path).replace(/\/$/, "");
	return short === "." || short === ".." || short.startsWith("../") ? undefined : short;
}
