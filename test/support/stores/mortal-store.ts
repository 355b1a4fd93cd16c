/** A store of a process that dies: after a number of writes, nothing that it does arrives any more. */
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";

const writes = ["insert", "append", "update", "remove", "removeMany", "trimOutbox"] as const;

/** @param lives The count of writes that arrive. The last one arrives too, but its writer does not learn that. */
export function mortalStore(store: DocumentStore, lives: number): DocumentStore {
	let left = lives;
	const bound = Object.fromEntries(documentStoreMethods.map((name) => [name, store[name].bind(store)]));
	const dying = writes.map((name) => {
		const write: (...args: never[]) => Promise<unknown> = store[name].bind(store);
		return [
			name,
			async (...args: never[]) => {
				if (--left < 0) throw new Error("The process is dead");
				const done = await write(...args);
				if (left === 0) throw new Error("The process dies");
				return done;
			},
		];
	});
	return { ...(bound as unknown as DocumentStore), isShared: store.isShared, ...Object.fromEntries(dying) };
}
