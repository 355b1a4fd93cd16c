/** The entries by which the files of a folder are written down, and the forms of what can be restored. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";

/** The bytes of a file in one entry. */
export const partBytes = 192 * 1024;
/** The longest path in bytes; the system allows 4,095, of which the data folder in front of it needs some. */
const maxPathBytes = 3_000;
const maxNameBytes = 255;
const maxTargetBytes = 4_095;
/** The part of a mode that is kept: who may do what, and no right of another user. */
export const permissions = 0o777;

/** One file, link or folder, or a further part of the file before. Paths begin below the folder. */
export type FileEntry =
	| { readonly path: string; readonly kind: "folder"; readonly mode: number }
	| { readonly path: string; readonly kind: "link"; readonly target: string }
	| { readonly path: string; readonly kind: "file"; readonly mode: number; readonly data: string }
	| { readonly path: string; readonly kind: "more"; readonly data: string };

const entryFailures = compileSchema({
	path: { type: "string", max: maxPathBytes },
	kind: { type: "enum", values: ["folder", "link", "file", "more"] },
	mode: { type: "number", integer: true, min: 0, max: permissions, optional: true },
	target: { type: "string", min: 1, max: maxTargetBytes, optional: true },
	data: { type: "string", optional: true },
});

const members = { folder: ["mode"], link: ["target"], file: ["mode", "data"], more: ["data"] } as const;

/** Returns the value as an entry; undefined when it is none that can be restored. */
export function fileEntry(value: unknown): FileEntry | undefined {
	if (!isJsonObject(value) || entryFailures(value).length > 0) return undefined;
	const entry = value as unknown as FileEntry;
	const lacks = members[entry.kind].some((member) => value[member] === undefined);
	if (lacks || !isPlainPath(entry.path) || (entry.kind === "link" && !isLinkTarget(entry.target))) return undefined;
	return entry;
}

/** Whether the path leads to a place below its folder, and the system allows it. */
export function isPlainPath(path: string, maxBytes = maxPathBytes): boolean {
	if (path.includes("\0") || Buffer.byteLength(path) > maxBytes) return false;
	return path.split("/").every(isName);
}

function isName(name: string): boolean {
	return name !== "" && name !== "." && name !== ".." && Buffer.byteLength(name) <= maxNameBytes;
}

export function isLinkTarget(target: string): boolean {
	return target !== "" && !target.includes("\0") && Buffer.byteLength(target) <= maxTargetBytes;
}
