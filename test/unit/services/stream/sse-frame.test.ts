import { expect } from "chai";
import fc from "fast-check";
import { frame, isStreamEvent, join, resetFrame } from "#services/stream/sse-frame.ts";
import { readEvents } from "../../../../cli/event-stream.ts";

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("frame()", () => {
	it("is an id, a name and one line of data", () => {
		const bytes = frame("session_deleted", '{"id":"x"}', "e1-7");
		expect(bytes.toString()).to.equal('id: e1-7\nevent: session_deleted\ndata: {"id":"x"}\n\n');
	});

	it("has no id for events without a position", () => {
		expect(frame("heartbeat", "{}").toString()).to.equal("event: heartbeat\ndata: {}\n\n");
	});

	it("remains one event for a standard reader, with any data in any chunks", async () => {
		const property = fc.asyncProperty(
			fc.jsonValue(),
			fc.nat(4),
			fc.integer({ min: 1, max: 50 }),
			async (value, space, cut) => {
				const bytes = frame("session_updated", JSON.stringify(value, undefined, space), "a-b-3");
				const events = [];
				for await (const event of readEvents(inPieces(bytes, cut))) events.push(event);
				expect(events).to.have.length(1);
				expect(events[0]).to.include({ event: "session_updated", id: "a-b-3" });
				expect(JSON.parse(events[0]?.data ?? "")).to.deep.equal(JSON.parse(JSON.stringify(value)));
			},
		);
		await fc.assert(property, { numRuns: 500 });
	});
});

describe("resetFrame()", () => {
	it("says why, and whether more sessions exist than follow", () => {
		expect(resetFrame("expired", false).toString()).to.include('data: {"reason":"expired"}\n');
		expect(resetFrame("epoch", true).toString()).to.include('data: {"reason":"epoch","more":true}\n');
	});
});

describe("isStreamEvent()", () => {
	it("knows the declared names only", () => {
		expect(["session_created", "bye", "reset"].every(isStreamEvent)).to.equal(true);
		expect(["session_invented", "", "toString", "__proto__", "SESSION_CREATED"].some(isStreamEvent)).to.equal(false);
	});
});

describe("join()", () => {
	it("is one chunk of HTTP around the frames, and the frames alone", () => {
		const frames = [Buffer.from("äb"), Buffer.from("c".repeat(20))];
		const { chunk, bytes } = join(frames);
		expect(bytes).to.deep.equal(Buffer.concat(frames));
		expect(chunk.toString()).to.equal(`17\r\näb${"c".repeat(20)}\r\n`);
	});
});
