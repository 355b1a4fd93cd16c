/** One pass over saved prompts. */
import { expect } from "chai";
import { walkPages } from "./settings-scenario.ts";
import type { Walker } from "./walker.ts";

interface PromptView {
	id: string;
	name: string;
	scope: string;
	project_repo: string | null;
	tags: string[];
	updated_at: string;
}

const repo = "https://git.example/org/shop.git";

export async function walkPrompts(walker: Walker): Promise<void> {
	const create = (body: object) => walker.call<PromptView>("createPrompt", 201, { body });
	const found = (q: string) => names(walker, "searchPrompts", { q });
	const least = await create({ name: "Review", content: "Look at {{branch}} and find 100% of the mistakes" });
	expect(least).to.include({ scope: "global", project_repo: null }).and.to.deep.include({ tags: [] });
	const ofShop = await create({
		name: "Fix the shop",
		content: "REVIEW it",
		scope: "project",
		project_repo: repo,
		tags: ["a"],
	});
	expect(ofShop).to.include({ scope: "project", project_repo: repo });
	const noRepo = { name: "x", content: "x", scope: "project" };
	await walker.call("createPrompt", 422, { body: noRepo });
	await walker.call("createPrompt", 422, { body: { ...noRepo, project_repo: null } });

	expect(await names(walker, "listPrompts")).to.deep.equal(["Fix the shop", "Review"]);
	for (const [query, wanted] of [
		[{ scope: "global" }, ["Review"]],
		[{ scope: "project" }, ["Fix the shop"]],
		[{ repo: "git.example/org/shop" }, ["Fix the shop", "Review"]],
		[{ repo: "https://git.example/org/other" }, ["Review"]],
		[{ repo, scope: "project" }, ["Fix the shop"]],
		[{ repo, limit: "1" }, ["Fix the shop"]],
	] as const)
		expect(await names(walker, "listPrompts", query), JSON.stringify(query)).to.deep.equal(wanted);
	expect(await found("review"), "hits in the name first").to.deep.equal(["Review", "Fix the shop"]);
	for (const [q, wanted] of [
		["%", ["Review"]],
		["_", []],
		["0%", ["Review"]],
		["{{BRANCH}}", ["Review"]],
	] as const)
		expect(await found(q), q).to.deep.equal(wanted);
	await walkChanges(walker, least, ofShop);
}

async function walkChanges(walker: Walker, least: PromptView, ofShop: PromptView): Promise<void> {
	const change = (id: string, body: object) => walker.call<PromptView>("updatePrompt", 200, { path: { id }, body });
	const changed = await change(least.id, { name: "Renamed", content: null, tags: null, scope: null });
	expect(changed).to.include({ name: "Renamed", scope: "global" });
	expect(await names(walker, "searchPrompts", { q: "mistakes" })).to.deep.equal(["Renamed"]);
	await walker.call("updatePrompt", 422, { path: { id: least.id }, body: { scope: "project" } });
	expect(await change(ofShop.id, { scope: "global" })).to.include({ scope: "global", project_repo: null });
	await walkPages(walker, "listPrompts", 2);
	await walker.call("searchPrompts", 400, { query: { q: "x", cursor: "not-ours" } });
	const query = { q: "e", limit: "1" };
	const { headers } = await walker.answer("searchPrompts", 200, { query });
	const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
	const cursor = new URL(next ?? "no Link header", "http://localhost").searchParams.get("cursor") ?? "";
	expect(await names(walker, "searchPrompts", { ...query, cursor })).to.have.length(1);
	for (const { id } of [least, ofShop]) await walker.call("deletePrompt", 204, { path: { id } });
	await walker.call("deletePrompt", 404, { path: { id: least.id } });
	expect(await names(walker, "listPrompts")).to.deep.equal([]);
}

async function names(walker: Walker, operation: string, query: Record<string, string> = {}): Promise<string[]> {
	return (await walker.call<PromptView[]>(operation, 200, { query })).map(({ name }) => name);
}
