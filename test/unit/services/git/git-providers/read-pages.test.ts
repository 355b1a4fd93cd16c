/** Lists in pages come to an end. */
import { expect } from "chai";
import { readPages } from "#services/git/git-providers/read-pages.ts";
import { sumOfChecks } from "#services/git/git-providers/sum-of-checks.ts";
import type { CiStatus } from "#services/git/providers/git-provider.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { listReader, ProviderClient } from "#shared/net/outbound/provider-client.ts";

const reader = listReader({ type: "number" }, 10);
const next = (headers: { readonly [name: string]: unknown }) => Number(headers["x-next"]) || undefined;

/** Answers with what `answer` says for a page. */
function clientOf(answer: (page: number) => { items: number[]; next?: number }): ProviderClient {
	const send: Outbound["send"] = async ({ url }) => {
		const { items, next: following } = answer(Number(new URL(url).searchParams.get("page")));
		const headers = following === undefined ? {} : { "x-next": String(following) };
		return { status: 200, headers, body: Buffer.from(JSON.stringify(items)), url };
	};
	const ask = { provider: "Test", asked: "a list" };
	return new ProviderClient({
		outbound: { send },
		base_url: "https://x.example",
		isConfigured: true,
		headers: {},
		ask,
	});
}

describe("reading pages", () => {
	const read = (answer: Parameters<typeof clientOf>[0], most = 5) =>
		readPages(clientOf(answer), { path: "/list", query: {}, reader, most, next });

	it("returns the items of all pages", async () => {
		const result = await read((page) => (page === 1 ? { items: [1, 2], next: 2 } : { items: [3] }));
		expect(result).to.deep.equal({ items: [1, 2, 3], more: false });
	});

	it("says when there are more than it reads", async () => {
		expect(await read((page) => ({ items: [page, page], next: page + 1 }))).to.deep.equal({
			items: [1, 1, 2, 2, 3],
			more: true,
		});
		expect(await read((page) => ({ items: [page], ...(page < 5 && { next: page + 1 }) }))).to.deep.include({
			more: false,
		});
	});

	it("ends when a page is empty, or leads back", async () => {
		expect((await read((page) => ({ items: page === 1 ? [1] : [], next: page + 1 }))).items).to.deep.equal([1]);
		expect((await read(() => ({ items: [1], next: 1 }))).items).to.deep.equal([1]);
	});
});

describe("the sum of checks", () => {
	const sum = (states: CiStatus[], more = false) =>
		sumOfChecks({ checks: states.map((state) => ({ name: "c", state, url: null, at: null })), more });

	it("is that of the worst, and unknown without any", () => {
		expect(sum(["passing", "failing", "pending"])).to.equal("failing");
		expect(sum(["passing", "unknown", "pending"])).to.equal("pending");
		expect(sum(["passing", "unknown"])).to.equal("unknown");
		expect(sum(["passing"])).to.equal("passing");
		expect(sum([])).to.equal("unknown");
		expect(sum(["passing"], true)).to.equal("unknown");
		expect(sum(["failing"], true)).to.equal("failing");
	});
});
