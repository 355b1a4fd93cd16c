/** Positions in the stream tell nobody how much happens in other tenants. */
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { SseClient } from "../../support/clients/sse-client.ts";
import { change, useStreams } from "../../support/clients/use-streams.ts";
import { MemoryEventLog } from "../../support/stores/memory-event-log.ts";
import { streamPath, type TestStream } from "../../support/platform/start-stream.ts";

const foreign = { tenant: "acme", owner: "alice" };
const asCarol = { authorization: "Bearer token-of-carol" };

describe("stream: positions", () => {
	const { start } = useStreams(1);

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
	});
});
