/**
 * The MongoDB store with appends to the event log that wait while a file exists. It stands for a relay that has read
 * the end of the log and appends much later, as on a busy machine or a slow network. Its process does not see the leases
 * of others, so that two relays append at once, as those of two versions do.
 */
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Columns, Document } from "#shared/store/collection.ts";
import type { Appended, Change, Guard, OutboxEntry } from "#shared/store/port/documents.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";

/** The variable of a process whose appends can be held: the path of the file. */
export const holdVariable = "FAILOVER_HOLD_FILE";

/** The file that exists while an append waits. */
export function waitingFile(hold: string): string {
	return `${hold}.waiting`;
}

export class HeldAppendStore extends MongodbStore {
	override async append<C extends Columns>(
		collection: Collection<C>,
		documents: readonly Document<C>[],
	): Promise<Appended> {
		const hold = process.env[holdVariable];
		if (hold !== undefined && collection.name === "event_log" && existsSync(hold)) {
			writeFileSync(waitingFile(hold), "");
			while (existsSync(hold)) await sleep(20);
		}
		return super.append(collection, documents);
	}

	override get<C extends Columns>(collection: Collection<C>, id: string, columns?: readonly (keyof C & string)[]) {
		return super.get(collection, ownId(collection, id), columns);
	}

	override insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events?: readonly OutboxEntry[],
	) {
		return super.insert(collection, { ...document, id: ownId(collection, document.id) }, events);
	}

	override update<C extends Columns>(collection: Collection<C>, ...[id, ...change]: ChangeOf<C>) {
		return super.update(collection, ownId(collection, id), ...change);
	}
}

type ChangeOf<C extends Columns> = [id: string, guard: Guard<C>, change: Change<C>, events?: readonly OutboxEntry[]];

function ownId({ name }: Collection, id: string): string {
	return name === "leases" ? `${id} of the held process` : id;
}
