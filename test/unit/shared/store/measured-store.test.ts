import { expect } from "chai";
import { UnavailableError } from "#shared/base/errors.ts";
import { measureOutboxes } from "#shared/store/event-log/outbox-lag.ts";
import { now } from "#shared/base/clock.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { measuredStore } from "#shared/store/measured-store.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { DuplicateKeyError } from "#shared/store/port/documents.ts";

const notes = defineCollection("notes", { owner: "text" }, {});

/** A store of which a test says how its operations end. */
function storeOf(methods: Partial<DocumentStore>): DocumentStore {
	const silent = Object.fromEntries(documentStoreMethods.map((name) => [name, async () => undefined]));
	return { isShared: true, ...silent, ...methods } as unknown as DocumentStore;
}

async function failure(work: Promise<unknown>): Promise<unknown> {
	return work.then(
		() => undefined,
		(error: unknown) => error,
	);
}

describe("measuredStore()", () => {
	it("has every operation of the port, and counts each by collection", async () => {
		const metrics = new Metrics();
		const store = measuredStore(storeOf({}), metrics);
		for (const name of documentStoreMethods) {
			const method: unknown = Reflect.get(store, name);
			if (typeof method !== "function") throw new TypeError(`"${name}" is missing`);
			await method(notes, "x");
		}
		const text = await exposition(metrics);
		for (const name of documentStoreMethods.filter((name) => !["open", "ping", "close", "snapshot"].includes(name)))
			expect(text).to.include(`atelier_store_operation_seconds_count{operation="${name}",collection="notes"} 1\n`);
	});

	it("passes on failures, and counts those of the store but not those of its callers", async () => {
		const metrics = new Metrics();
		const down = new UnavailableError("The store cannot be reached", "STORE_UNREACHABLE");
		const taken = new DuplicateKeyError("notes", "id");
		const store = measuredStore(
			storeOf({ get: () => Promise.reject(down), insert: () => Promise.reject(taken) }),
			metrics,
		);
		expect(await failure(store.get(notes, "x"))).to.equal(down);
		expect(await failure(store.insert(notes, { id: "x", wire: "{}" }))).to.equal(taken);
		const text = await exposition(metrics);
		expect(text).to.include('atelier_store_errors_total{operation="get",collection="notes"} 1\n');
		expect(text).to.include('atelier_store_errors_total{operation="insert",collection="notes"} 0\n');
	});
});

describe("measureOutboxes()", () => {
	it("shows the count of waiting events and the age of the oldest one", async () => {
		const entry = (at: number) => ({ n: 1, type: "x", data: "{}", audience: { tenant: "t" }, at });
		const waiting = [{ id: "a", entries: [entry(now() - 5_000), entry(now())] }];
		const metrics = new Metrics();
		measureOutboxes(metrics, storeOf({ outbox: async () => waiting }), [notes]);
		const text = await exposition(metrics);
		expect(text).to.include("atelier_outbox_entries 2\n");
		expect(Number(/^atelier_outbox_oldest_seconds (\S+)$/m.exec(text)?.[1])).to.be.within(5, 15);
	});
});
