/** Every query of every declared index is answered from that index, in its order: SQLite is asked for its plan. */
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import type { Collection } from "#shared/store/collection.ts";
import { countSelection, outboxSelection, pageSelection, selection } from "#shared/store/embedded/embedded-reads.ts";
import { applySchema } from "#shared/store/embedded/embedded-schema.ts";
import type { Sql } from "#shared/store/embedded/embedded-sql.ts";
import { assignments, deletion, updating } from "#shared/store/embedded/embedded-writes.ts";
import { indexQuery } from "#shared/store/index-query.ts";
import { event, jobs, sampleCollections } from "../../../../support/stores/sample-collections.ts";

async function declaredCollections(): Promise<Collection[]> {
	const parts = await loadParts(serviceFolders);
	return [...parts.values()].flatMap(({ collections = [] }) => collections);
}

/** Every form in which an index can be asked: with and without each bound, from the start and further on, both ways. */
function queriesOf(collection: Collection, index: string): Sql[] {
	const columns = collection.indexes[index]?.columns ?? [];
	const value = (column: string) => (collection.columns[column] === "integer" ? 1 : "x");
	const equals = columns.map(value);
	const bound = value(columns.at(-1) ?? "");
	const ranges = [
		{ equals },
		...[{}, { from: bound }, { to: bound }, { from: bound, to: bound }].map((bounds) => ({
			equals: equals.slice(0, -1),
			...bounds,
		})),
	];
	return ranges.flatMap((range) => {
		const query = indexQuery(collection, index, range);
		const position = query.order.map((column) => (column === "id" ? "id" : value(column)));
		const pages = [true, false].flatMap((descending) =>
			[undefined, position].map((after) => ({ descending, limit: 2, after: after?.length === 0 ? undefined : after })),
		);
		return [countSelection(collection, query), ...pages.map((page) => pageSelection(collection, query, page))];
	});
}

describe("The embedded store's queries", () => {
	let database: DatabaseSync;
	let collections: Collection[];

	before(async () => {
		collections = [...sampleCollections, ...(await declaredCollections())];
		database = new DatabaseSync(":memory:");
		applySchema(database, collections);
	});

	after(() => database.close());

	function planOf({ text, values }: Sql): string {
		const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
		return steps.map(({ detail }) => String(detail)).join("; ");
	}

	it("are planned for the collections of the services as well", () => {
		expect(collections.map(({ name }) => name)).to.include.members(["jobs", "sessions", "event_log"]);
	});

	it("search the index they name, without a scan and without sorting", () => {
		let queries = 0;
		for (const collection of collections)
			for (const index of Object.keys(collection.indexes))
				for (const query of queriesOf(collection, index)) {
					const { name } = collection;
					expect(planOf(query), query.text).to.match(
						new RegExp(`^SEARCH ${name} USING (COVERING )?INDEX ${name}\\.${index} \\([^;]*\\)$`),
					);
					queries++;
				}
		expect(queries).to.be.greaterThan(200);
	});

	it("enter the index at the beginning of the page, not of the range", () => {
		for (const [descending, where] of [
			[false, "(made,id)>(?,?) AND made<?"],
			[true, "made>? AND (made,id)<(?,?)"],
		] as const) {
			const query = indexQuery(jobs, "by_state", { equals: ["a", "b"], from: "c", to: "d" });
			const page = pageSelection(jobs, query, { descending, after: ["c", "id"], limit: 1 });
			expect(planOf(page)).to.include(where);
		}
	});

	it("find the waiting events in their index, in order", () => {
		for (const collection of collections)
			expect(planOf(outboxSelection(collection, 5))).to.match(/^(SCAN|SEARCH) \S+ USING INDEX \S+\._outbox\b[^;]*$/);
	});

	it("find a single document by its id", () => {
		for (const collection of collections) {
			const change = assignments(collection, { wire: "" }, [event(1)]);
			for (const statement of [
				selection(collection, "a"),
				updating(collection, "a", {}, change),
				deletion(collection, "a", {}),
			])
				expect(planOf(statement), statement.text).to.match(/^SEARCH \S+ USING INDEX sqlite_autoindex_\S+ \(id=\?\)$/);
		}
	});

	it("fail the test if their index cannot serve them (control)", () => {
		const text = 'SELECT id FROM jobs INDEXED BY "jobs.due" WHERE tenant = ?';
		expect(() => planOf({ text, values: ["x"] })).to.throw("no query solution");
	});
});
