import { expect } from "chai";
import type { SessionRecord } from "#services/sessions/record/session-change.ts";
import { type SessionUpdate, updateChange } from "#services/sessions/record/session-update.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { launchSettings } from "../../../../support/pods/memory-pods.ts";
import { changed, sessionRecord } from "../../../../support/platform/session-record.ts";

const further = { url: "https://git.example/b.git", branch: "b", base_branch: "", path: "b" };
const own = { url: "https://git.example/a.git", branch: "a", base_branch: "main", path: "" };
const launch: LaunchSettings = { ...launchSettings, repositories: [own, further] };

function updated(update: SessionUpdate): SessionRecord {
	const record = sessionRecord({
		order: { launch, source: { type: "git", repo: own.url, branch: "a", base_branch: "main" } },
	});
	return changed(record, updateChange(record, update));
}

const before = updated({});

describe("updateChange()", () => {
	const rows: [update: SessionUpdate, members: object, launch: object][] = [
		[{ name: "b" }, { name: "b" }, { name: "b" }],
		[{ model: "m" }, { model: "m" }, { model: "m" }],
		[{ tracker_issue_id: "T-1" }, { tracker_issue_id: "T-1" }, {}],
		[
			{ branch: "c" },
			{
				branch: "c",
				source: { type: "git", repo: own.url, branch: "c", base_branch: "main" },
				repositories: [
					{ url: own.url, branch: "c", path: "" },
					{ url: further.url, branch: "b", path: "b" },
				],
			},
			{ repositories: [{ ...own, branch: "c" }, further] },
		],
		[
			{ branch: "c", base_branch: "next" },
			{
				branch: "c",
				source: { type: "git", repo: own.url, branch: "c", base_branch: "next" },
				repositories: [
					{ url: own.url, branch: "c", path: "" },
					{ url: further.url, branch: "b", path: "b" },
				],
			},
			{ repositories: [{ ...own, branch: "c", base_branch: "next" }, further] },
		],
		[{ name: null, model: null, branch: null, base_branch: null, tracker_issue_id: null, budget: null }, {}, {}],
		[{ name: "", model: "" }, {}, {}],
	];
	for (const [update, members, settings] of rows) {
		it(`takes ${JSON.stringify(update)} for the members and the next launch, and nothing else`, () => {
			const { session, document } = updated(update);
			expect(session).to.deep.equal({ ...before.session, ...members });
			expect(document.launch).to.deep.equal({ ...launch, ...settings });
		});
	}

	it("changes limit and launch in one write", () => {
		const { session, document } = updated({ name: "b", budget: { limit: 3 } });
		expect([session.name, session.budget.limit]).to.deep.equal(["b", 3]);
		expect(document).to.include({ limit_micros: 3_000_000 });
		expect(document.launch).to.include({ name: "b" });
	});
});
