/**
 * A replica set of three real MongoDB servers loses its primary under a real platform; the whole run is `npm run test:failover`.
 * Night: a replica set elects a primary after 4 s, several times.
 * Alone: it measures how long an outage lasts.
 */
import { expect } from "chai";
import { eventLogCollection, eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { EventLog, type KeyedEntry } from "#shared/store/event-log/event-log.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { patience } from "../support/machine/patience.ts";
import { patchedTree } from "../faults/patched-tree.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf } from "../support/failure-of.ts";
import { MongodSet, withoutMongod } from "../support/stores/mongod-set.ts";
import { controlPatches } from "./control.ts";
import { failoverRun } from "./failover-run.ts";
import { isBroken, table } from "./table.ts";

describe("failover of MongoDB", function () {
	this.timeout(600_000);

	const shown = "shows nobody what a majority does not have, and appends it again when it is gone (H10)";
	if (withoutMongod !== undefined) it(`${shown}: ${withoutMongod}`);
	else
		it(shown, async () => {
			// The wait exceeds the whole test, so the test decides which server is primary.
			await using set = await MongodSet.start(3, 120_000);
			await using writer = await openLog(set.url);
			await using reader = await openLog(set.url);
			await writer.log.append(numbered(1, 7));
			expect(await reader.log.head()).to.include({ seq: 7 });
			const primary = await set.primary();
			const others = set.members.filter((member) => member !== primary);
			await Promise.all(others.map((member) => member.kill()));
			const appending = failureOf(writer.log.append(numbered(8, 10)));
			await eventually(async () => (await primary.count("atelier", "event_log")) === 10);
			expect(await reader.log.head()).to.include({ seq: 7 });
			expect(await reader.log.read(7, 10)).to.deep.equal([]);
			expect(await appending).to.include({ type: "STORE_UNDECIDED" });

			await primary.kill();
			await Promise.all(others.map((member) => member.start()));
			// Only a server with everything that the other one has can be elected.
			let tries = 0;
			await eventually(() => others[tries++ % 2]?.command({ replSetStepUp: 1 }), { withinMs: 120_000 });
			await set.primary();
			await eventually(() => writer.log.append(numbered(8, 10)), { withinMs: 120_000 });
			const entries = await eventually(() => reader.log.read(0, 100), { withinMs: 120_000 });
			expect(entries.map(({ data }) => Number(data))).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		});

	const title =
		"loses no event, doubles none and has the stream back, though a primary dies with what it alone had (H10)";
	if (withoutMongod !== undefined) it(`${title}: ${withoutMongod}`);
	else
		it(title, async () => {
			const report = await failoverRun({ kinds: ["unconfirmed"], seed: 1 });
			console.log(table(report));
			for (const round of report.rounds)
				expect(isBroken(round, 3 * patience()), `${table(report)}\n${round.wrong.join("\n")}`).to.equal(false);
		});

	it("has a control that fits the sources", () => {
		using tree = patchedTree(controlPatches);
		expect(tree.root).to.be.a("string");
	});
});

async function openLog(url: string): Promise<{ log: EventLog } & AsyncDisposable> {
	const store = new MongodbStore({ url });
	await store.open([eventLogCollection, eventLogNameCollection]);
	return { log: new EventLog(store), [Symbol.asyncDispose]: () => store.close() };
}

function numbered(from: number, to: number): KeyedEntry[] {
	return Array.from({ length: to - from + 1 }, (_, index) => {
		const n = from + index;
		const entry = { n, type: "session_updated", data: String(n), audience: { tenant: "t" }, at: n };
		return { key: `things:a:${n}`, entry };
	});
}
