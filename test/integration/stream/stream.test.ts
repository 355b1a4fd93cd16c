/** The event stream as its clients see it. */
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { MemoryEventLog } from "../../support/stores/memory-event-log.ts";
import { rawRequest, RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { sealedId } from "../../support/clients/test-ids.ts";
import { streamPath } from "../../support/platform/start-stream.ts";
import { change, changes, idsOf, useStreams } from "../../support/clients/use-streams.ts";

const bearer = (id: string) => ({ headers: { authorization: `Bearer token-of-${id}` } });

for (const nodes of [1, 2] as const) {
	describe(`stream on ${nodes} node(s)`, () => {
		const { start, open } = useStreams(nodes);

		it("sends every event once and in order, alone or in bursts, to early and late clients", async () => {
			const stream = await start();
			const early = await open(stream);
			let late: SseClient | undefined;
			for (let sent = 0; sent < 2_000; sent += 100) {
				stream.log.append(...changes(100, sent));
				if (sent === 1_000) late = await open(stream, { lastEventId: "e1-0" });
			}
			const all = Array.from({ length: 2_000 }, (_, index) => `e1-${index + 1}`);
			for (const client of [early, late]) {
				await client?.event(({ id }) => id === "e1-2000");
				expect(idsOf(client?.events ?? [])).to.deep.equal(all);
			}
		});

		it("shows clients only what they may see, live and after a reconnection", async () => {
			const stream = await start();
			const entries = [
				change(1, { tenant: "acme", owner: "alice" }),
				change(2, { tenant: "acme", owner: "bob" }),
				{ type: "session_created", data: '{"n":3}', tenant: "acme" },
				change(4, { tenant: "other", owner: "alice" }),
				change(5, { tenant: "default", owner: "somebody" }),
				{ type: "session_created", data: '{"n":6}', tenant: "other" },
			];
			const seen = { alice: [1, 3], bob: [2, 3], carol: [4, 6], developer: [5] };
			const live = new Map<string, SseClient>();
			for (const id of Object.keys(seen)) live.set(id, await open(stream, id === "developer" ? {} : bearer(id)));
			stream.log.append(...entries);
			for (const [id, numbers] of Object.entries(seen)) {
				const again = await open(stream, { ...(id !== "developer" && bearer(id)), lastEventId: "e1-0" });
				for (const client of [live.get(id), again]) {
					await eventually(() => client?.events.length === numbers.length, { what: `${id} saw its events` });
					const found = client?.events.map(({ data }) => (JSON.parse(data) as { n: number }).n);
					expect(found, id).to.deep.equal(numbers);
				}
			}
		});

		it("resets connected clients when the log starts over", async () => {
			const stream = await start();
			stream.log.append(...changes(10));
			const client = await open(stream, { lastEventId: "e1-0" });
			await client.event(({ id }) => id === "e1-10");
			stream.log.restart("e2", 100);
			stream.log.append(change(1));
			await client.event(({ id }) => id === "e2-101");
			expect(client.events.slice(10)).to.deep.equal([{ event: "reset", data: '{"reason":"epoch"}', id: "e2-101" }]);
			stream.log.append(change(2));
			await client.event(({ id }) => id === "e2-102");
		});

		it("stays open with heartbeats while the log cannot be reached, and goes on afterwards", async () => {
			const stream = await start({ heartbeatMs: 50 });
			const client = await open(stream);
			stream.log.append(change(1));
			await client.event(({ id }) => id === "e1-1");
			stream.log.isReachable = false;
			stream.log.append(...changes(5, 1));
			const before = client.events.length;
			await eventually(() => client.events.slice(before).filter(({ event }) => event === "heartbeat").length > 3);
			stream.log.isReachable = true;
			// A breaker that has opened meanwhile lets the next call through after 5 s.
			await client.event(({ id }) => id === "e1-6", { withinMs: 20_000 });
			const updates = client.events.filter(({ event }) => event === "session_updated");
			expect(idsOf(updates)).to.deep.equal(["e1-1", "e1-2", "e1-3", "e1-4", "e1-5", "e1-6"]);
		});
	});
}

describe("stream", () => {
	const { begin, start, open } = useStreams(1);

	it("answers with the contract's headers, and first of all how long to wait before connecting again", async () => {
		const { gateway } = await start();
		const connection = await RawConnection.open(gateway.port);
		connection.write(rawRequest(`GET ${streamPath}`, { Host: gateway.host }));
		const text = await eventually(() => (connection.text.endsWith("\n\n\r\n") ? connection.text : undefined));
		connection.close();
		const [head = "", body] = text.split("\r\n\r\n");
		expect(head.split("\r\n").filter((line) => !line.startsWith("Date:"))).to.deep.equal([
			"HTTP/1.1 200 OK",
			"Content-Type: text/event-stream",
			"Cache-Control: no-cache",
			"Connection: keep-alive",
			"X-Accel-Buffering: no",
			"Transfer-Encoding: chunked",
		]);
		expect(body).to.equal("d\r\nretry: 2000\n\n\r\n");
	});

	it("serves proxies that speak HTTP/1.0, and answers HEAD with the same headers", async () => {
		const { gateway, log } = await start();
		const old = await RawConnection.open(gateway.port);
		old.write(`GET ${streamPath} HTTP/1.0\r\nHost: ${gateway.host}\r\n\r\n`);
		await eventually(() => old.text.includes("retry"));
		log.append(change(1));
		const text = await eventually(() => (old.text.includes("session_updated") ? old.text : undefined));
		old.close();
		const event = `id: ${sealedId("e1-1")}\nevent: session_updated\ndata: {"n":1}\n\n`;
		expect(text.split("\r\n\r\n")[1]).to.equal(`retry: 2000\n\n${event}`);
		const head = await sendRaw(gateway.port, rawRequest(`HEAD ${streamPath}`, { Host: gateway.host }));
		expect([head.status, head.headers["content-type"]]).to.deep.equal([200, "text/event-stream"]);
	});

	it("begins with the next event, and not with earlier ones", async () => {
		const log = new MemoryEventLog();
		log.append(...changes(10));
		const stream = await start({ log });
		const client = await open(stream);
		log.append(change(10));
		await client.event(({ data }) => data === '{"n":10}');
		expect(client.events).to.deep.equal([{ event: "session_updated", data: '{"n":10}', id: "e1-11" }]);
	});

	it("finds events without a hint", async () => {
		const stream = await start();
		stream.log.hints = undefined;
		const client = await open(stream);
		stream.log.append(change(1));
		await client.event(({ id }) => id === "e1-1");
	});

	it("waits at a gap, and continues when it is filled", async () => {
		const stream = await start();
		const client = await open(stream);
		stream.log.hidden = 2;
		stream.log.append(...changes(3));
		await client.event(({ id }) => id === "e1-1");
		stream.log.hidden = undefined;
		await client.event(({ id }) => id === "e1-3");
		expect(idsOf(client.events)).to.deep.equal(["e1-1", "e1-2", "e1-3"]);
	});

	it("sends the present state to clients that connected before the log could be read", async () => {
		const log = new MemoryEventLog();
		log.isReachable = false;
		log.append(...changes(3));
		const stream = await begin({ log, heartbeatMs: 50 });
		const client = await open(stream);
		await client.event(({ event }) => event === "heartbeat");
		expect((await fetch(`http://${stream.gateway.host}/ready`)).status).to.equal(503);
		log.isReachable = true;
		await client.event(({ event, id }) => event === "reset" && id === "e1-3", { withinMs: 20_000 });
		expect(client.events.filter(({ event }) => event === "session_updated")).to.deep.equal([]);
	});

	describe("heartbeat", () => {
		it("has the newest id, after the statistics of the client's own scope", async () => {
			const stream = await start({ heartbeatMs: 50 });
			const client = await open(stream, bearer("alice"));
			stream.log.append(...changes(7));
			await client.event(({ event, id }) => event === "heartbeat" && id === "e1-7");
			const [stats, heartbeat] = client.events.slice(-2);
			expect(stats).to.deep.include({ event: "stats_updated", data: JSON.stringify(stream.neighbours.stats) });
			expect(heartbeat).to.deep.equal({ event: "heartbeat", data: "{}", id: "e1-7" });
			expect(stream.neighbours.statsFor.at(-1)).to.include({ id: "alice", tenant: "acme" });
		});

		it("is sent without statistics when they are not available", async () => {
			const stream = await start({ heartbeatMs: 50 });
			stream.neighbours.isDown = true;
			const client = await open(stream);
			await eventually(() => client.events.length > 2);
			expect(new Set(client.events.map(({ event }) => event))).to.deep.equal(new Set(["heartbeat"]));
		});

		it("reads the statistics once for all clients of one scope, again after an event, and not without clients", async () => {
			const stream = await start({ heartbeatMs: 100 });
			const asked = stream.neighbours.statsFor;
			const askedFor = (name: string) => asked.filter(({ id }) => id === name).length;
			const clients: SseClient[] = [];
			for (const id of ["alice", "alice", "bob", "bob"]) clients.push(await open(stream, bearer(id)));
			// They count as settled two seconds after the clients came.
			const settled = async () => {
				const before = asked.length;
				const beats = beatsFromNowOn(clients);
				await eventually(() => Math.min(...beats()) >= 4);
				return asked.length === before;
			};
			await eventually(settled);
			expect(askedFor("alice")).to.be.lessThan(100);
			asked.length = 0;
			stream.log.append({ ...change(1), tenant: "acme", owner: "alice" });
			await eventually(() => askedFor("alice") > 0);
			await eventually(settled);
			expect(askedFor("bob")).to.equal(0);
			for (const client of clients) await client.close();
			const other = await open(stream, bearer("carol"));
			// The connection that was closed before hers is gone by her first heartbeat.
			await other.event(({ event }) => event === "heartbeat");
			asked.length = 0;
			stream.log.append({ ...change(2), tenant: "acme" });
			await eventually(() => asked.length > 0);
			expect(new Set(asked.map(({ id }) => id))).to.deep.equal(new Set(["carol"]));
		});
	});

	it("accepts clients up to its limit, until one leaves", async () => {
		const stream = await start({ maxClients: 2 });
		const refused = () => sendRaw(stream.gateway.port, rawRequest(`GET ${streamPath}`, { Host: stream.gateway.host }));
		const first = await open(stream);
		await open(stream);
		const answer = await refused();
		expect([answer.status, answer.headers["content-type"]]).to.deep.equal([503, "application/json"]);
		expect(JSON.parse(answer.text)).to.deep.equal({ detail: "There are too many event streams" });
		await first.close();
		await eventually(() => open(stream));
		expect((await refused()).status).to.equal(503);
	});

	it("gives another person a place of the one who has taken all of them", async () => {
		const stream = await start({ maxClients: 3 });
		const hers = [await open(stream), await open(stream), await open(stream)];
		const his = await open(stream, bearer("bob"));
		await hers[0]?.ended();
		for (const headers of [{}, bearer("bob").headers]) {
			const request = rawRequest(`GET ${streamPath}`, { Host: stream.gateway.host, ...headers });
			expect((await sendRaw(stream.gateway.port, request)).status, "neither gets one of the other's now").to.equal(503);
		}
		stream.log.append(change(1), change(2, { tenant: "acme", owner: "bob" }));
		for (const client of hers.slice(1)) await client.event(({ data }) => data === '{"n":1}');
		await his.event(({ data }) => data === '{"n":2}');
	});

	it("needs a connection without another pending answer", async () => {
		const stream = await start();
		const { gateway } = stream;
		const pending = Promise.withResolvers<void>();
		const asked = Promise.withResolvers<void>();
		gateway.platform.readiness.set("slow", () => {
			asked.resolve();
			return pending.promise;
		});
		const connection = await RawConnection.open(gateway.port);
		const headers = { Host: gateway.host };
		connection.write(rawRequest("GET /ready", headers) + rawRequest(`GET ${streamPath}`, headers));
		// Both requests were sent in one piece: the second one was handled by the time that a later stream has begun.
		await asked.promise;
		await (await open(stream)).close();
		pending.resolve();
		expect((await connection.answer()).status).to.equal(200);
		const { status, text } = await connection.answer();
		connection.close();
		const detail = "An event stream needs a connection of its own";
		expect([status, JSON.parse(text)]).to.deep.equal([400, { detail }]);
	});

	it("sends bye at the end, and closes every connection", async () => {
		const stream = await start();
		const client = await open(stream);
		const begun = performance.now();
		await stream.stop();
		await client.ended();
		expect(performance.now() - begun).to.be.below(8_000);
		expect(client.events.at(-1)).to.deep.equal({ event: "bye", data: "{}", id: "" });
	});
});

/** Counts the heartbeats that each of them has received since this call. */
function beatsFromNowOn(clients: readonly SseClient[]): () => number[] {
	const from = clients.map(({ events }) => events.length);
	return () =>
		clients.map(({ events }, index) => events.slice(from[index]).filter(({ event }) => event === "heartbeat").length);
}
