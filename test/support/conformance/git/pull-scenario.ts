/** One pass over pull requests. The platform's GitHub has a repository acme/engine with a branch "work" ahead of "main". */
import { expect } from "chai";
import { eventually } from "../../eventually.ts";
import type { Walker } from "../walker.ts";

interface PullView {
	number: number;
	status: string;
	head_sha: string;
	source_branch: string;
	title: string;
	description: string | null;
}

interface SessionView {
	id: string;
	status: string;
}

export async function walkPulls(walker: Walker): Promise<void> {
	const shared = await walker.call<Record<string, { url: string }[]>>("listSharedRepos", 200);
	const repo_url = shared["walked"]?.[0]?.url ?? "";
	const session = await stoppedSession(walker, { type: "git", repo: repo_url, branch: "work", base_branch: "main" });
	const path = { session_id: session.id };
	await walker.call("getSessionPr", 404, { path });
	const body = { session_id: session.id };
	await walker.call("createPullRequest", 422, { body: { ...body, target_branch: "--all" } });
	await walker.call("createPullRequest", 400, { body: { ...body, repo: "https://git.invalid/org/repo" } });
	const pull = await walker.call<PullView>("createPullRequest", 201, { body });
	expect(pull).to.include({ status: "open", source_branch: "work", title: "Session: walked-pull" });
	const again = await walker.call<PullView>("createPullRequest", 201, { body });
	expect(again.number, "adopted").to.equal(pull.number);
	expect(await walker.call("getSessionPr", 200, { path })).to.include({ pr_id: String(pull.number), state: "open" });
	await walkPull(walker, repo_url, pull);
	await walker.call("deleteSession", 204, { path });
	const none = await stoppedSession(walker, { type: "git", repo: repo_url, branch: "not-pushed", base_branch: "main" });
	const { detail } = await walker.call<{ detail: string }>("createPullRequest", 409, {
		body: { session_id: none.id },
	});
	expect(detail).to.contain("start the session");
	await walker.call("deleteSession", 204, { path: { session_id: none.id } });
}

async function walkPull(walker: Walker, repo_url: string, { number, head_sha }: PullView): Promise<void> {
	const query = { repo_url };
	const path = { number: String(number) };
	const numbers = async (more: Record<string, string> = {}): Promise<number[]> => {
		const listed = await walker.call<PullView[]>("listPullRequests", 200, { query: { ...query, ...more } });
		return listed.map((one) => one.number);
	};
	expect(await numbers()).to.deep.equal([number]);
	expect(await numbers({ status: "merged" })).to.deep.equal([]);
	const elsewhere = { query: { repo_url: "https://git.invalid/org/repo" } };
	await walker.call("listPullRequests", 400, elsewhere);
	await walker.call("getPullRequest", 400, { ...elsewhere, path });
	expect(await walker.call("getPullRequest", 200, { path, query })).to.include({ number, head_sha, status: "open" });
	const ci = await walker.call("getCiStatus", 200, { path, query: { ...query, branch: "work" } });
	expect(ci).to.have.property("status");
	const stale = { expected_head_sha: "0".repeat(40) };
	await walker.call("mergePullRequest", 409, { path, query, body: stale });
	const body = { merge_method: "squash", expected_head_sha: head_sha };
	expect(await walker.call("mergePullRequest", 200, { path, query, body })).to.include({ merged: true });
	await walker.call("mergePullRequest", 200, { path, query });
	expect(await numbers({ status: "all" })).to.deep.equal([number]);
}

async function stoppedSession(walker: Walker, source: object): Promise<SessionView> {
	const created = await walker.call<SessionView>("createSession", 201, { body: { name: "walked-pull", source } });
	const path = { session_id: created.id };
	const reaches = (status: string) =>
		eventually(async () => (await walker.call<SessionView>("getSession", 200, { path })).status === status, {
			withinMs: 30_000,
			everyMs: 100,
			what: `the session is ${status}`,
		});
	await reaches("running");
	await walker.call("stopSession", 200, { path });
	await reaches("stopped");
	return created;
}
