/** Positions in the stream tell nobody how much happens in other tenants. */
import { expect } from "chai";
import { now } from "#shared/base/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { SseClient } from "../../support/clients/sse-client.ts";
import { change, changes, useStreams } from "../../support/clients/use-streams.ts";
import { MemoryEventLog } from "../../support/stores/memory-event-log.ts";
import { streamPath, type TestStream } from "../../support/platform/start-stream.ts";

const foreign = { tenant: "acme", owner: "alice" };
const asCarol = { authorization: "Bearer token-of-carol" };

describe("stream: positions", () => {
	const { start, open } = useStreams(1);

	/** Returns the ids of so many heartbeats as the client gets them. */
	async function beats({ gateway }: TestStream, count: number): Promise<string[]> {
		await using client = await SseClient.open(`http://${gateway.host}${streamPath}`, { headers: asCarol });
		const found = () => client.events.filter(({ event }) => event === "heartbeat").map(({ id }) => id);
		return await eventually(() => (found().length >= count ? found() : undefined));
	}

	it("are other texts in each heartbeat, whether other tenants do something or not (P10b)", async () => {
		const stream = await start({ heartbeatMs: 30 });
		const before = await beats(stream, 3);
		stream.log.append(...Array.from({ length: 9 }, (_, n) => change(n, foreign)));
		const after = await beats(stream, 3);
		const all = [...before, ...after];
		expect(new Set(all).size).to.equal(all.length);
		for (const id of all) expect(id).to.match(/^e1-s[\w-]{22}$/);
	});

	describe("that a client names by a number", () => {
		it("are all refused alike, so that nobody finds the newest one by trying (P10b)", async () => {
			const log = new MemoryEventLog();
			log.plainUntil = now() - 1;
			log.append(...Array.from({ length: 20 }, (_, n) => change(n, foreign)));
			const stream = await start({ log });
			for (const number of [0, 7, 20, 21, 6_000]) {
				await using client = await SseClient.open(`http://${stream.gateway.host}${streamPath}`, {
					headers: asCarol,
					lastEventId: `e1-${number}`,
				});
				const reset = await client.event(({ event }) => event === "reset");
				expect(reset.data, String(number)).to.equal('{"reason":"epoch"}');
			}
		});

		for (const [when, plainUntil] of [
			["shortly after an upgrade", now() + 3_600_000],
			["while the event log is one of the release before", undefined],
		] as const) {
			it(`are continued ${when}`, async () => {
				const log = new MemoryEventLog();
				log.plainUntil = plainUntil;
				log.append(...changes(5));
				const stream = await start({ log });
				await using client = await SseClient.open(`http://${stream.gateway.host}${streamPath}`, {
					lastEventId: "e1-3",
				});
				await eventually(() => client.events.length === 2);
				expect(client.events.map(({ event, data }) => [event, data])).to.deep.equal([
					["session_updated", '{"n":3}'],
					["session_updated", '{"n":4}'],
				]);
				const again = await open(stream, { lastEventId: client.lastEventId ?? "" });
				log.append(...changes(1, 5));
				await again.event(({ id }) => id === "e1-6");
				expect(again.events).to.have.length(1);
			});
		}
	});
});
