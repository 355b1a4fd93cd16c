/** Collections for tests of the document store, with every kind of column and index, and events. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import type { OutboxEntry } from "#shared/store/port/documents.ts";

export const jobs = defineCollection(
	"jobs",
	{
		tenant: "text",
		state: "text",
		made: "text",
		rev: "integer",
		spent: "integer",
		budget: "integer",
		due_at: "integer",
		key: "text",
		notes: "json",
	},
	{
		by_state: { columns: ["tenant", "state", "made"] },
		by_tenant: { columns: ["tenant"] },
		due: { columns: ["due_at"] },
		by_key: { columns: ["tenant", "key"], unique: true },
	},
	{ hasOutbox: true },
);

export const log = defineCollection("log", { seq: "integer" }, { by_seq: { columns: ["seq"], unique: true } });

/** A collection that can be searched: hits in the title come before hits in the body. */
export const notes = defineCollection(
	"notes",
	{ tenant: "text", title: "text", body: "text", made: "text", rev: "integer" },
	{ by_made: { columns: ["tenant", "made"] }, by_title: { columns: ["tenant", "title"] } },
	{ searched: { index: "by_made", columns: ["title", "body"] } },
);

export const sampleCollections = [jobs, log, notes];

export type JobColumns = (typeof jobs)["columns"];
export type Job = Document<JobColumns>;

export type NoteColumns = (typeof notes)["columns"];
export type Note = Document<NoteColumns>;

export function note(id: string, columns: Partial<Note> = {}): Note {
	return { id, wire: JSON.stringify({ id }), tenant: "acme", title: "", body: "", made: "m0", rev: 1, ...columns };
}

export function job(id: string, columns: Partial<Job> = {}): Job {
	return { id, wire: JSON.stringify({ id }), tenant: "acme", state: "new", rev: 1, ...columns };
}

export function event(n: number, at = n): OutboxEntry {
	return {
		n,
		type: "job_updated",
		data: JSON.stringify({ n, text: "größer ] \" 'x'" }),
		audience: { tenant: "acme" },
		at,
	};
}
