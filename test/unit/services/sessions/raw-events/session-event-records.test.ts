import { expect } from "chai";
import { eventOf, readEventType } from "#services/sessions/raw-events/session-event-records.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { type IngestedEvent, sessionEvent, sessionEventTypes } from "#shared/contracts/sessions/session-events.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";

const [id, session_id] = ["6f1c0d52-0000-4000-8000-000000000003", "6f1c0d52-0000-4000-8000-000000000001"];
const told: IngestedEvent = {
	session_id,
	event_type: "tool_use",
	timestamp: "2026-01-01T00:00:00.000Z",
	data: { a: 1 },
	sequence: 7,
};

describe("eventOf()", () => {
	it("is what the contract says an event is, with null for what was not measured", () => {
		const event = eventOf(id, { ...told, tokens_in: 3 });
		expect(compileSchema(sessionEvent)(structuredClone(event))).to.deep.equal([]);
		const measures = { tokens_in: 3, tokens_out: null, cost: null, duration_ms: null, model: null };
		expect(event).to.deep.equal({ id, ...told, ...measures });
	});

	it("refuses an invalid time", () => {
		for (const timestamp of ["", "yesterday", "2026-13-01T00:00:00Z"])
			expect(() => eventOf(id, { ...told, timestamp }))
				.to.throw(UnprocessableError)
				.with.property("type", "EVENT_TIME");
	});
});

describe("readEventType()", () => {
	it("reads the types of the contract and refuses every other one, naming those there are", () => {
		for (const type of sessionEventTypes) expect(readEventType(type)).to.equal(type);
		for (const other of ["", "Error", "constructor"])
			expect(() => readEventType(other)).to.throw(
				UnprocessableError,
				`Unknown event type "${other}"; known: message_user, `,
			);
	});
});
