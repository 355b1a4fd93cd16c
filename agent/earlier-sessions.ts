/**
 * Finds and removes the records that earlier sessions have left in the volume of this one: nobody else can reach them, once those
 * sessions are deleted.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sessionIdForm } from "#shared/contracts/sessions/session-work.ts";
import { maxEarlierSessions } from "#shared/wire/pod/door/launch-question.ts";

const idForm = new RegExp(`^${sessionIdForm}$`);

/** Returns the ids of sessions that have records in a folder, of which a later launch gets those that do not fit. */
export async function earlierSessions(folder: string): Promise<string[]> {
	const names = await readdir(folder).catch(() => []);
	return names.filter((name) => idForm.test(name)).slice(0, maxEarlierSessions);
}

/** Removes the records of sessions one after the other, and leaves the rest when the signal aborts or one cannot be removed. */
export async function removeSessions(folder: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
	for (const id of ids) {
		if (signal.aborted) return;
		if (idForm.test(id)) await rm(join(folder, id), { recursive: true, force: true });
	}
}
