/** A client that disconnects repeatedly misses nothing. */
import { expect } from "chai";
import { setImmediate } from "node:timers/promises";
import { eventually } from "../../support/eventually.ts";
import type { NewEntry } from "../../support/stores/memory-event-log.ts";
import { sealedId } from "../../support/clients/test-ids.ts";
import { SseClient } from "../../support/clients/sse-client.ts";
import { startStream, streamPath, type TestStream } from "../../support/platform/start-stream.ts";
import { useStreams } from "../../support/clients/use-streams.ts";

const reconnects = 200;
const mostMissed = 4_000;

/** Every fourth event belongs to somebody else. */
function entry(n: number): NewEntry {
	return { type: "session_activity", data: `{"n":${n}}`, tenant: n % 4 === 0 ? "other" : "default" };
}

describe("stream: resume", () => {
	let stream: TestStream;

	before(async () => {
		stream = await startStream();
		await eventually(() => stream.stream.check().then(() => true));
	});
	after(() => stream.stop());

	it(`${reconnects} reconnects, each missing 1 to ${mostMissed} events, end with every event once`, async () => {
		const seen: number[] = [];
		let written = 0;
		let lastEventId: string | undefined = sealedId(`${stream.log.epoch}-0`);

		/** The events are written in bursts of any size, some of them while the client connects. */
		async function write(count: number): Promise<void> {
			for (const end = written + count; written < end; ) {
				const burst = Math.min(end - written, 1 + Math.floor(Math.random() * 700));
				stream.log.append(...Array.from({ length: burst }, () => entry(++written)));
				await setImmediate();
			}
		}

		for (let round = 0; round < reconnects; round++) {
			const behind = written - (seen.at(-1) ?? 0);
			const wanted = 1 + Math.floor((mostMissed * ((round * 37) % reconnects)) / reconnects);
			const missed = Math.max(1, Math.min(wanted, mostMissed - behind));
			await write(missed - Math.floor(missed / 5));
			const url = `http://${stream.gateway.host}${streamPath}`;
			const [client]: [SseClient, void] = await Promise.all([
				SseClient.open(url, lastEventId === undefined ? {} : { lastEventId }),
				write(Math.floor(missed / 5)),
			]);
			// Every other time it disconnects in the middle of the replay.
			const enough = round % 2 === 0 || round === reconnects - 1 ? newestFor(written) : 0;
			await eventually(() => client.events.some(({ data }) => numberOf(data) >= enough), { everyMs: 2 });
			await client.close();
			expect(client.events.filter(({ event }) => event !== "session_activity")).to.deep.equal([]);
			seen.push(...client.events.map(({ data }) => numberOf(data)));
			lastEventId = client.lastEventId;
		}
		const all = Array.from({ length: written }, (_, index) => index + 1).filter((n) => n % 4 !== 0);
		expect(seen.length).to.equal(all.length);
		expect(seen.findIndex((n, index) => n !== all[index])).to.equal(-1);
	}).timeout(120_000);
});

describe("stream: heartbeats during a replay", () => {
	const { start, open } = useStreams(1);

	it("do not move a client's position past events that it lacks", async () => {
		const stream = await start({ heartbeatMs: 2 });
		const data = JSON.stringify("x".repeat(4_000));
		stream.log.append(...Array.from({ length: 5_000 }, () => ({ type: "session_updated", data, tenant: "default" })));
		const client = await open(stream, { lastEventId: "e1-0" });
		await client.event(({ id }) => id === "e1-5000", { withinMs: 25_000 });
		let newest = "e1-0";
		let beats = 0;
		for (const { event, id } of client.events) {
			if (event === "session_updated") newest = id;
			else if (newest !== "e1-0") expect(id).to.equal(newest);
			if (event === "heartbeat" && newest !== "e1-5000") beats++;
		}
		expect(beats, "none came during the replay").to.be.greaterThan(0);
	});
});

/** The newest number that the client may see. */
function newestFor(written: number): number {
	return written % 4 === 0 ? written - 1 : written;
}

function numberOf(data: string): number {
	return (JSON.parse(data) as { n: number }).n;
}
