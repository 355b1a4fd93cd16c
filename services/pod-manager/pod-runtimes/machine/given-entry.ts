/** Gives files of sessions to another user: each runtime of a machine has sessions of its own user. */
import { lchown } from "node:fs/promises";
import { entriesOf, type FolderEntry } from "./folder-entries.ts";

/** Changes the owner of all that an entry holds and then its own, without following links. An entry that is the user's is done. */
export async function giveEntry(
	{ path, isDirectory }: Pick<FolderEntry, "path" | "isDirectory">,
	to: { readonly user: number; readonly group: number },
): Promise<void> {
	if (isDirectory) for await (const inner of entriesOf(path)) await giveEntry(inner, to);
	await lchown(path, to.user, to.group);
}
