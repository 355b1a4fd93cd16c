/** The real event log on real stores, with an entry that fits no message: the stream goes on behind it. */
import { expect } from "chai";
import { publish } from "#shared/bus/service.ts";
import { logAppended } from "#shared/contracts/event-log.ts";
import { eventLogCollection, eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { eventLogService } from "#services/event-log/event-log.service.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";
import { sampleSession, type TestStream } from "../../support/platform/start-stream.ts";
import { useStreams } from "../../support/clients/use-streams.ts";
import { logsOn } from "../../support/stores/logs-on.ts";

const collections = [eventLogCollection, eventLogNameCollection];
for (const [engine, openStore] of Object.entries(storeEngines(collections))) {
	describe(`stream: an entry of 2 MB in a log on ${engine}`, () => {
		const { start, open } = useStreams(2);
		let opened: StoreUnderTest;
		let log: EventLog;
		let seq = 0;

		beforeEach(async () => {
			opened = await openStore();
			log = new EventLog(opened.store);
			seq = 0;
		});
		afterEach(() => opened.discard());

		async function startOnStore(): Promise<TestStream> {
			const relay = new OutboxRelay(opened.store, logsOn(opened.store, log), [], () => {});
			const stream = await start({ logService: eventLogService(log, relay) });
			stream.neighbours.sessions = [sampleSession(1)];
			return stream;
		}

		async function append(stream: TestStream | undefined, data: string): Promise<number> {
			const audience = { tenant: "default", owner: "dev-user" };
			const entry = { n: ++seq, type: "session_updated", data, audience, at: Date.now() };
			await log.append([{ key: `sessions:hand:${seq}`, entry }]);
			if (stream) await publish(stream.gateway.broker, logAppended, { seq });
			return seq;
		}

		const large = JSON.stringify({ a: "x".repeat(2 * 1_048_576) });

		it("resets the connected clients, which go on behind it, and the platform stays ready (C1)", async () => {
			const stream = await startOnStore();
			const client = await open(stream);
			await append(stream, '{"n":1}');
			await client.event(({ data }) => data === '{"n":1}');
			await append(stream, large);
			const reset = await client.event(({ event }) => event === "reset");
			expect(JSON.parse(reset.data)).to.deep.equal({ reason: "expired" });
			await append(stream, '{"n":3}');
			await client.event(({ data }) => data === '{"n":3}');
			await stream.stream.check();
		});

		it("does not stop a client or gateway that starts later (C1)", async () => {
			await append(undefined, '{"n":1}');
			await append(undefined, large);
			await append(undefined, '{"n":3}');
			const stream = await startOnStore();
			const epoch = (await log.head()).epoch;
			const late = await open(stream, { lastEventId: `${epoch}-1` });
			await late.event(({ event }) => event === "reset");
			const after = await open(stream, { lastEventId: `${epoch}-2` });
			await after.event(({ data }) => data === '{"n":3}');
			expect(after.events.some(({ event }) => event === "reset")).to.equal(false);
		});
	});
}
