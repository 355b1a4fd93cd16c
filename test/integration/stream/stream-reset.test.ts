/** Clients that cannot get the events that they missed get the present state instead. */
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { MemoryEventLog } from "../../support/stores/memory-event-log.ts";
import { sampleSession } from "../../support/platform/start-stream.ts";
import { change, changes, idsOf, useStreams } from "../../support/clients/use-streams.ts";

describe("stream: a Last-Event-ID it cannot go on from", () => {
	const { start, open } = useStreams(1);
	const sessions = Array.from({ length: 3 }, (_, n) => sampleSession(n));

	for (const [reason, lastEventId] of [
		["expired", "e1-1"],
		["epoch", "e0-6000"],
		["epoch", "whatever"],
		["ahead", "e1-6001"],
	] as const) {
		it(`${lastEventId}: sends "${reason}", then the present state, then live events`, async () => {
			const log = new MemoryEventLog();
			log.append(...changes(6_000));
			const stream = await start({ log });
			stream.neighbours.sessions = sessions;
			const client = await open(stream, { lastEventId });
			await client.event(({ id }) => id === "e1-6000");
			const [reset, ...state] = client.events;
			expect(reset).to.deep.equal({ event: "reset", data: JSON.stringify({ reason }), id: "" });
			expect(state).to.deep.equal(
				sessions.map((session, n) => ({
					event: "session_updated",
					data: JSON.stringify(session),
					id: n === 2 ? "e1-6000" : "",
				})),
			);
			log.append(change(1));
			await client.event(({ id }) => id === "e1-6001");
			expect(client.events).to.have.length(5);
		});
	}

	it("a position that only another gateway has reached so far is valid", async () => {
		const stream = await start();
		stream.log.hints = undefined;
		stream.log.append(...changes(5));
		const client = await open(stream, { lastEventId: "e1-4" });
		await client.event(({ id }) => id === "e1-5");
		expect(client.events).to.have.length(1);
	});

	it("the newest 500 sessions follow, with a mark if there are more", async () => {
		const stream = await start();
		for (const [count, more] of [
			[0, undefined],
			[500, undefined],
			[501, true],
		] as const) {
			stream.neighbours.sessions = Array.from({ length: count }, (_, n) => sampleSession(n));
			const client = await open(stream, { lastEventId: "e0-1" });
			await client.event(({ id }) => id === "e1-0");
			const [reset, ...state] = client.events;
			expect(JSON.parse(reset?.data ?? "")).to.deep.equal({ reason: "epoch", ...(more && { more }) });
			expect(state).to.have.length(Math.min(count, 500));
		}
	});

	it("loses nothing that happens meanwhile", async () => {
		const stream = await start();
		stream.neighbours.sessions = sessions;
		let lists = 0;
		stream.neighbours.onList = () => {
			lists++;
			stream.log.append(...changes(50, lists * 100));
		};
		const client = await open(stream, { lastEventId: "e0-1" });
		await client.event(({ id }) => id === "e1-50");
		const live = client.events.slice(1 + sessions.length);
		expect(idsOf(live)).to.deep.equal(Array.from({ length: 50 }, (_, index) => `e1-${index + 1}`));
		expect(lists).to.equal(1);
	});

	it("repeats the request until the sessions can be read", async () => {
		const stream = await start();
		stream.neighbours.sessions = sessions;
		stream.neighbours.isDown = true;
		const client = await open(stream, { lastEventId: "e0-1" });
		let asked = 0;
		stream.neighbours.onList = () => {
			if (++asked === 2) stream.neighbours.isDown = false;
		};
		await client.event(({ event }) => event === "reset");
		await eventually(() => client.events.length === 4);
	});
});
