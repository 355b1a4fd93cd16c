import { expect } from "chai";
import fc from "fast-check";
import {
	answeredBefore,
	type CommandAnswer,
	commandMark,
	completedAnswer,
	rememberAnswer,
	rememberedMs,
} from "#services/sessions/commands/command-answers.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import type { SessionRecord } from "#services/sessions/record/session-change.ts";
import { personKey, type Principal } from "#shared/base/principal.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { alice, bob } from "../../../../support/bus/test-brokers.ts";
import { sessionRecord } from "../../../../support/platform/session-record.ts";

const { session } = sessionRecord();

function by(key: string, principal: Principal = alice) {
	return { principal, key };
}

/** Returns the stored key of a command by alice with the key `k`. */
function keyOf(command: string): string {
	return `${command}:${personKey(alice.tenant, alice.id)}:k`;
}

function answer(key: string, more: Partial<CommandAnswer> = {}): CommandAnswer {
	return { key, fingerprint: fingerprintOf({}), at: 1_000, answer: session, ...more };
}

function withAnswers(...answers: CommandAnswer[]): SessionRecord {
	return sessionRecord({ columns: { answers } });
}

describe("commandMark()", () => {
	it("distinguishes actions and parameters, and needs a key", () => {
		const mark = commandMark("start", by("k"), { a: 1 });
		expect(mark).to.include({ key: keyOf("start"), fingerprint: fingerprintOf({ a: 1 }) });
		expect(commandMark("stop", by("k"), { a: 1 })?.key).not.to.equal(mark?.key);
		expect(commandMark("start", by("k"), { a: 2 })?.fingerprint).not.to.equal(mark?.fingerprint);
		expect(commandMark("start", by("k", bob), { a: 1 })?.key, "another person").not.to.equal(mark?.key);
		expect(commandMark("start", { principal: alice, key: undefined }, {})).to.equal(undefined);
	});
});

describe("answeredBefore()", () => {
	const record = withAnswers(answer(keyOf("start"), { answer: { ...session, name: "first" } }), answer(keyOf("stop")));

	it("is the first answer to the same request", () => {
		expect(answeredBefore(record, commandMark("start", by("k"), {}))?.name).to.equal("first");
	});

	it("is undefined for another key, another action, and without a key", () => {
		expect(answeredBefore(record, commandMark("start", by("other"), {}))).to.equal(undefined);
		expect(answeredBefore(record, commandMark("archive", by("k"), {}))).to.equal(undefined);
		expect(answeredBefore(record, undefined)).to.equal(undefined);
		expect(answeredBefore(sessionRecord(), commandMark("start", by("k"), {}))).to.equal(undefined);
	});

	it("refuses a key that was used for another request", () => {
		expect(() => answeredBefore(record, commandMark("start", by("k"), { other: true })))
			.to.throw(UnprocessableError)
			.with.property("type", "IDEMPOTENCY_KEY_REUSED");
	});
});

describe("completedAnswer()", () => {
	const now = { ...session, name: "now" };
	const complete = (...answers: CommandAnswer[]) =>
		completedAnswer(withAnswers(...answers), { command: "stop", principal: alice, key: "k", answer: now });

	it("replaces a provisional answer once, in its place", () => {
		const { counts, answers } = complete(answer("a"), answer(keyOf("stop"), { provisional: true }), answer("b"));
		expect(counts).to.deep.equal(now);
		expect(answers).to.deep.equal([answer("a"), answer(keyOf("stop"), { answer: now }), answer("b")]);
		expect(complete(...(answers ?? []))).to.deep.equal({ counts: now });
	});

	it("keeps a final answer, and writes nothing without one", () => {
		expect(complete(answer(keyOf("stop")))).to.deep.equal({ counts: session });
		expect(complete(answer(keyOf("start"), { provisional: true }))).to.deep.equal({ counts: now });
	});
});

describe("rememberAnswer()", () => {
	it("remembers the newest sixteen of a day, the new one last", () => {
		const ages = fc.array(fc.integer({ min: 0, max: 2 * rememberedMs }), { maxLength: 30 });
		fc.assert(
			fc.property(ages, (times) => {
				const former = times.toSorted((one, other) => one - other).map((at, index) => answer(`k${index}`, { at }));
				const fresh = answer("fresh", { at: 2 * rememberedMs });
				const remembered = rememberAnswer(former, fresh);
				expect(remembered.at(-1)).to.equal(fresh);
				const kept = former.filter(({ at }) => at > rememberedMs).slice(-15);
				expect(remembered.slice(0, -1)).to.deep.equal(kept);
			}),
		);
	});

	it("forgets answers after a day, and those beyond sixteen", () => {
		const of = (count: number, at: number) => Array.from({ length: count }, (_, index) => answer(`k${index}`, { at }));
		const fresh = answer("fresh", { at: 2 * rememberedMs });
		expect(rememberAnswer(of(20, rememberedMs), fresh)).to.deep.equal([fresh]);
		expect(rememberAnswer(of(20, rememberedMs + 1), fresh)).to.have.length(16);
		expect(rememberAnswer(undefined, fresh)).to.deep.equal([fresh]);
	});
});
