import { expect } from "chai";
import fc from "fast-check";
import { readEvents, type StreamEvent } from "../../../cli/event-stream.ts";

async function* bytes(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
	for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

function read(...chunks: (string | Uint8Array)[]): Promise<StreamEvent[]> {
	return Array.fromAsync(readEvents(bytes(...chunks)));
}

describe("readEvents()", () => {
	it("gives name, data and id of an event", async () => {
		expect(await read("id: a-1\nevent: session_created\ndata: {}\n\n")).to.deep.equal([
			{ event: "session_created", data: "{}", id: "a-1" },
		]);
	});

	it("names an event without a name message, and keeps the id of the one before", async () => {
		expect(await read("id:7\ndata:x\n\ndata: y\n\n")).to.deep.equal([
			{ event: "message", data: "x", id: "7" },
			{ event: "message", data: "y", id: "7" },
		]);
	});

	it("joins data lines and takes away one blank only", async () => {
		expect(await read("data: a\ndata:  b\ndata\n\n")).to.deep.equal([{ event: "message", data: "a\n b\n", id: "" }]);
	});

	it("ignores comments, unknown fields, events without data and an incomplete end", async () => {
		expect(await read(": hello\nretry: 3\nfoo: bar\n\nevent: nothing\n\ndata: cut")).to.deep.equal([]);
	});

	it("returns the same events for any chunks and line ends", async () => {
		const text = 'id: é-1\nevent: a\ndata: ü\ndata: {"x":1}\n\n: comment\n\nevent: b\ndata: 😀\n\n';
		const whole = await read(text);
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom("\n", "\r\n", "\r"),
				fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 12 }),
				async (end, cuts) => {
					const all = Buffer.from(`${text.replaceAll("\n", end)}:\n`);
					const places = [0, ...cuts.toSorted((a, b) => a - b), all.length];
					const chunks = places.slice(1).map((place, index) => all.subarray(places[index], place));
					expect(await read(...chunks)).to.deep.equal(whole);
				},
			),
		);
	});

	it("refuses a line that does not end", async () => {
		const failure = await read("data: ", "x".repeat(5 * 1024 * 1024)).catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(RangeError);
	});
});
