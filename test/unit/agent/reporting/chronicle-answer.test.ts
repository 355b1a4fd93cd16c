import { expect } from "chai";
import fc from "fast-check";
import { chronicleReport, readChronicle } from "#agent/reporting/chronicle-answer.ts";
import type { SessionFacts } from "#agent/timeline/timeline.ts";
import { chronicles } from "#shared/contracts/sessions/chronicles.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";

const file = { path: "src/a.ts", status: "mod", ins: 3, del: 1 } as const;
const commit = { hash: "0123456789".repeat(4), subject: "Fix a", at: "2026-11-21T10:00:00Z", files: 1 };
const facts: SessionFacts = { files: [file], commits: [commit], seconds: 60 };
const said = { summary: "It works.", keyChanges: ["a.ts no longer crashes"], unfinishedWork: "" };

describe("readChronicle()", () => {
	it("finds the object in any surrounding text", () => {
		const answer = `Sure:\n\`\`\`json\n{"summary":" It works. ","key_changes":["a.ts no longer crashes", 7, ""],"unfinished_work":""}\n\`\`\``;
		expect(readChronicle(answer)).to.deep.equal(said);
	});

	it("makes nothing of anything else", () => {
		for (const answer of ["", "no", "{", "}{", "[]", '{"summary":7}', '{"summary":""}', '{"a":{"b":1}} and {']) {
			expect(readChronicle(answer), answer).to.equal(undefined);
		}
	});
});

describe("chronicleReport()", () => {
	it("has the agent's words when git agrees", () => {
		expect(chronicleReport(said, facts)).to.deep.equal({
			summary: "It works.",
			key_changes: ["a.ts no longer crashes"],
			duration_seconds: 60,
		});
	});

	it("adds the changed files that the agent does not mention", () => {
		const more = { ...facts, files: [file, { ...file, path: "docs/b.md" }, { ...file, path: "c.md" }] };
		expect(chronicleReport(said, more).key_changes).to.deep.equal([
			"a.ts no longer crashes",
			"Also changed: docs/b.md, c.md",
		]);
	});

	it("drops changes when git knows of none", () => {
		expect(chronicleReport(said, { files: [], commits: [], seconds: 1 }).key_changes).to.deep.equal([]);
	});

	it("has git's changes when the agent has none", () => {
		expect(chronicleReport(undefined, facts)).to.deep.equal({
			key_changes: ["0123456 Fix a", "Changed src/a.ts (+3 -1)"],
			duration_seconds: 60,
		});
	});

	it("fits the contract with any content from agent and git", () => {
		const check = compileSchema(chronicles.actions.report.params);
		const path = fc.string({ minLength: 1, maxLength: 2_000 });
		const files = fc.array(
			path.map((one) => ({ ...file, path: one })),
			{ maxLength: 200 },
		);
		const commits = fc.array(fc.string({ maxLength: 2_000 }).map((subject) => ({ ...commit, subject })));
		const words = fc.option(
			fc.record({
				summary: fc.string({ maxLength: 20_000 }),
				key_changes: fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 200 }),
				unfinished_work: fc.string({ maxLength: 20_000 }),
			}),
		);
		fc.assert(
			fc.property(words, files, commits, (answer, changed, made) => {
				const read = answer ? readChronicle(JSON.stringify(answer)) : undefined;
				const report = chronicleReport(read, { files: changed, commits: made, seconds: 1 });
				const session_id = "00000000-0000-4000-8000-000000000000";
				expect(check({ session_id, ...report })).to.deep.equal([]);
			}),
			{ numRuns: 50 },
		);
	});
});
