import { expect } from "chai";
import fc from "fast-check";
import { tokenTimeline } from "#services/sessions/raw-events/session-event-tokens.ts";
import type { SessionEvent, SessionEventType } from "#shared/contracts/sessions/session-events.ts";

function event(event_type: SessionEventType, at: string, tokens: Partial<SessionEvent> = {}): SessionEvent {
	const unknown = { id: "", session_id: "", sequence: 0, data: {} };
	return { ...unknown, event_type, timestamp: `2026-11-21T10:${at}Z`, ...tokens };
}

const start = Date.parse("2026-11-21T10:00:00Z") / 1_000;

describe("tokenTimeline()", () => {
	it("counts a turn once that is reported in both ways", () => {
		const used = { tokens_in: 100, tokens_out: 10, cost: 0.1 };
		const events = [
			event("message_user", "00:00"),
			event("message_assistant", "00:10", used),
			event("token_usage", "00:10", used),
			event("message_user", "06:00"),
			event("token_usage", "06:10", { tokens_in: 60, tokens_out: 6, cost: 0.2 }),
			event("token_usage", "06:10", { tokens_in: 40, tokens_out: 4 }),
			event("message_assistant", "06:10", used),
		];
		expect(tokenTimeline(events, 300)).to.deep.equal([
			{ bucket: start, ...used },
			{ bucket: start + 300, tokens_in: 100, tokens_out: 10, cost: 0.2 },
		]);
	});

	it("counts the answers of turns without other reports", () => {
		const events = [
			event("message_user", "00:00"),
			event("message_assistant", "00:10", { tokens_in: 1, tokens_out: 2, cost: 0.1 }),
			event("message_user", "00:20"),
			event("message_assistant", "00:30", { tokens_in: 3, tokens_out: 4, cost: 0.2 }),
			event("tool_use", "00:30", { tokens_in: 1_000 }),
		];
		expect(tokenTimeline(events, 300)).to.deep.equal([{ bucket: start, tokens_in: 4, tokens_out: 6, cost: 0.3 }]);
	});

	it("has no bucket without tokens", () => {
		expect(tokenTimeline([event("message_assistant", "00:00"), event("token_usage", "00:01")], 60)).to.deep.equal([]);
	});

	it("adds up to the micro-dollar, with any buckets", () => {
		const used = fc.record({ seconds: fc.nat({ max: 3_599 }), micros: fc.nat({ max: 10_000_000 }) });
		fc.assert(
			fc.property(fc.array(used), fc.integer({ min: 60, max: 3_600 }), (uses, bucketSeconds) => {
				const events = uses.map(({ seconds, micros }) => {
					const timestamp = new Date((start + seconds) * 1_000).toISOString();
					return { ...event("token_usage", "00:00", { tokens_in: 1, cost: micros / 1_000_000 }), timestamp };
				});
				const buckets = tokenTimeline(events, bucketSeconds);
				const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
				expect(sum(buckets.map(({ tokens_in }) => tokens_in))).to.equal(uses.length);
				expect(sum(buckets.map(({ cost }) => Math.round(cost * 1_000_000)))).to.equal(
					sum(uses.map(({ micros }) => micros)),
				);
				expect(buckets.every(({ bucket }) => bucket % bucketSeconds === 0)).to.equal(true);
			}),
		);
	});
});
