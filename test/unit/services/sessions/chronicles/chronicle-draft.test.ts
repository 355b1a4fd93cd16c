import { expect } from "chai";
import type { ChronicleDocument } from "#services/sessions/chronicles/chronicle-collections.ts";
import { newDraft, reportedMembers } from "#services/sessions/chronicles/chronicle-draft.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Chronicle, chronicle as chronicleFields } from "#shared/contracts/sessions/chronicles.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { createdAt as at, sessionRecord } from "../../../../support/platform/session-record.ts";

const id = "6f1c0d52-0000-4000-8000-000000000002";
const budget = { limit: null, spent: 0.25, reserved: 0, paused: false, reason: null };
const { session } = sessionRecord({ members: { tokens_used: 40, budget } });

interface Order {
	readonly members?: Partial<Session>;
	readonly former?: ChronicleDocument;
	readonly parent?: string;
}

function draft({ members, former, parent }: Order = {}): { document: ChronicleDocument; chronicle: Chronicle } {
	const document = newDraft({ id, session: { ...session, ...members }, launch: { a: 1 }, parent, former, at });
	return { document, chronicle: JSON.parse(document.wire) };
}

describe("newDraft()", () => {
	it("is what the contract says a chronicle is, and says what its columns say", () => {
		const { document, chronicle } = draft();
		expect(compileSchema(chronicleFields)(structuredClone(chronicle))).to.deep.equal([]);
		expect(document).to.deep.include({ tenant: "acme", owner: "alice", session: session.id, launch: { a: 1 }, rev: 1 });
		expect(chronicle).to.include({ status: "draft", session_id: session.id, parent_chronicle_id: null });
		expect(document.created_at).to.equal(chronicle.created_at);
	});

	it("begins with the books of its session, whose cost is null while nothing is known", () => {
		expect(draft().chronicle).to.include({ token_usage: 40, cost: 0.25 });
		expect(draft({ members: { budget: { ...budget, spent: 0 } } }).chronicle.cost).to.equal(null);
	});

	it("follows the earlier one by number and by time, with any clock", () => {
		const first = draft().document;
		expect(first.ordinal).to.equal(1);
		const second = draft({ former: first }).document;
		expect(second.ordinal).to.equal(2);
		expect(second.created_at).to.equal("2026-01-01T00:00:00.001Z");
		const ahead = draft({ former: { ...first, created_at: "2027-05-05T00:00:00.999Z" } }).document;
		expect(ahead.created_at).to.equal("2027-05-05T00:00:01.000Z");
		const behind = draft({ former: { ...first, created_at: "2025-05-05T00:00:00.000Z" } }).document;
		expect(behind.created_at).to.equal("2026-01-01T00:00:00.000Z");
	});

	it("names the chronicle that its session was made from", () => {
		const { document, chronicle } = draft({ parent: "p" });
		expect([document.parent, chronicle.parent_chronicle_id]).to.deep.equal(["p", "p"]);
		expect(draft().document).not.to.have.property("parent");
	});

	const projects: [repo: string, project: string][] = [
		["https://git.example/team/shop.git", "shop"],
		["https://git.example/team/shop/", "shop"],
		["git@git.example:team/shop.git", "shop"],
		["git@git.example:shop", "shop"],
		["/srv/git/shop.git", "shop"],
		["", ""],
	];
	for (const [repo, project] of projects) {
		it(`is of the project "${project}" when the repository is "${repo}"`, () => {
			expect(draft({ members: { repo } }).chronicle.project).to.equal(project);
		});
	}
});

describe("reportedMembers()", () => {
	it("leaves out what is absent or null, and nothing else", () => {
		const said = { summary: null, unfinished_work: undefined, key_changes: [], duration_seconds: 0, project: "" };
		const books = { token_usage: 40, cost: 0.25 };
		expect(reportedMembers(said, session)).to.deep.equal({
			key_changes: [],
			duration_seconds: 0,
			project: "",
			...books,
		});
	});

	it("brings the books of the session with a report", () => {
		expect(reportedMembers({ summary: "Done", duration_seconds: null }, session)).to.deep.equal({
			summary: "Done",
			token_usage: 40,
			cost: 0.25,
		});
	});
});
