/** One pass over trackers, mappings and issues. The platform's tracker is a fake with one issue, ENG-1. */
import { expect } from "chai";
import type { LinearFake } from "../../providers/linear/linear-fake.ts";
import { startLinearFake } from "../../providers/linear/linear-fake.ts";
import { walkPages } from "../settings-scenario.ts";
import type { Walker } from "../walker.ts";

const key = "lin_api_walker";

interface IssueView {
	id: string;
	identifier: string;
	status: string;
}

/** Starts the tracker, and returns the configuration that makes it everybody's. */
export async function startWalkedTracker(): Promise<{ fake: LinearFake; config: object }> {
	const fake = await startLinearFake(key, "walker");
	fake.add({ identifier: "ENG-1", title: "Login fails" });
	return { fake, config: { linear: { enabled: true, api_key: key, api_url: fake.url } } };
}

export async function walkTracker(walker: Walker): Promise<void> {
	const status = await walker.call("trackerStatus", 200);
	expect(status).to.deep.equal({ connected: true, provider: "linear", workspace: "Acme", user: "walker" });
	const q = { q: "login" };
	const found = await walker.call<IssueView[]>("searchTrackerIssues", 200, { query: { ...q, project_id: "ENG" } });
	expect(found.map(({ identifier }) => identifier)).to.deep.equal(["ENG-1"]);
	const recent = { query: { project_id: "ENG", limit: "1" } };
	expect(await walker.call("recentTrackerIssues", 200, recent)).to.have.length(1);
	expect(await walker.call("searchIssues", 200, { query: q })).to.have.length(1);
	const path = { id: "ENG-1" };
	const moved = await walker.call<IssueView>("updateTrackerIssue", 200, { path, body: { status: "done" } });
	expect(moved.status).to.equal("Done");
	await walker.call("updateTrackerIssue", 422, { path, body: { status: "Nowhere" } });
	await walker.call("updateTrackerIssue", 404, { path: { id: "ENG-2" }, body: { status: "Done" } });
	await walkIssues(walker);
	await walkMappings(walker);
}

async function walkIssues(walker: Walker): Promise<void> {
	const [known, unknown] = [{ issue_id: "ENG-1" }, { issue_id: "ENG-2" }];
	expect(await walker.call<IssueView>("getIssue", 200, { path: known })).to.include({ status: "Done" });
	await walker.call("getIssue", 404, { path: unknown });
	const back = await walker.call<IssueView>("setIssueStatus", 200, { path: known, body: { status: "Todo" } });
	expect(back.status).to.equal("Todo");
	await walker.call("setIssueStatus", 404, { path: unknown, body: { status: "Todo" } });
	await walker.call("setIssueStatus", 422, { path: known, body: { status: "Nowhere" } });
}

async function walkMappings(walker: Walker): Promise<void> {
	const create = (repo_url: string, more: object = {}, status = 201) =>
		walker.call<{ id: string }>("createMapping", status, { body: { repo_url, project_id: "ENG", ...more } });
	const made = [
		await create("https://git.example/org/one"),
		await create("https://git.example/org/two", { project_name: "Engineering", on_start: "In Progress" }),
	];
	await create("git@git.example:org/one.git", {}, 409);
	await create("--upload-pack=x", {}, 422);
	expect(await walker.call("listMappings", 200)).to.have.length(2);
	await walkPages(walker, "listMappings", 2);
	for (const { id } of made) await walker.call("deleteMapping", 204, { path: { id } });
	await walker.call("deleteMapping", 404, { path: { id: made[0]?.id ?? "" } });
}
