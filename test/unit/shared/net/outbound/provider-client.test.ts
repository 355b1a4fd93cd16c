import { expect } from "chai";
import type { Outbound, OutboundAnswer, OutboundRequest } from "#shared/net/outbound/outbound.ts";
import { listReader, objectReader, ProviderClient } from "#shared/net/outbound/provider-client.ts";
import { failureOf } from "../../../../support/failure-of.ts";

function clientOf(answer: Partial<Omit<OutboundAnswer, "body">> & { body?: string }) {
	const sent: OutboundRequest[] = [];
	const client = new ProviderClient({
		outbound: {
			async send(request) {
				sent.push(request);
				return { status: 200, headers: {}, url: request.url, ...answer, body: Buffer.from(answer.body ?? "") };
			},
		},
		base_url: "https://git.example/api/v4",
		isConfigured: true,
		headers: { "private-token": "glpat-secret" },
		ask: { provider: "GitLab", asked: "the project", secrets: ["glpat-secret"] },
	});
	return { client, sent };
}

describe("ProviderClient", () => {
	it("sends path, query, credential and JSON", async () => {
		const { client, sent } = clientOf({ status: 201, body: '{"id":1}' });
		const request = {
			method: "POST",
			path: "/projects",
			query: { a: "x y", b: undefined, c: 1 },
			body: { n: 1 },
		} as const;
		expect(await client.send(request)).to.deep.include({ status: 201, json: { id: 1 } });
		expect(sent[0]).to.deep.include({
			url: "https://git.example/api/v4/projects?a=x+y&c=1",
			method: "POST",
			body: '{"n":1}',
		});
		expect(sent[0]?.headers).to.include({ "private-token": "glpat-secret", "content-type": "application/json" });
	});

	it("refuses an answer that is no JSON, or has another form", async () => {
		expect(await failureOf(clientOf({ body: "<html>" }).client.get("/x"))).to.include({ type: "PROVIDER_MALFORMED" });
		const { client } = clientOf({});
		const read = objectReader({ id: { type: "number" } });
		for (const value of [null, [], "x", {}, { id: "1" }, { id: null }])
			expect(() => client.read(read, value)).to.throw(/GitLab sent an answer to the project that cannot be read/);
		expect(client.read(read, { id: 1, more: true })).to.deep.equal({ id: 1 });
		expect(() => client.read(listReader({ type: "string" }, 1), ["a", "b"])).to.throw(/cannot be read/);
	});

	it("makes the platform's errors of refusals, unless the operation expects them", async () => {
		const answer = { status: 409, body: '{"message":{"base":["glpat-secret is wrong"]}}' };
		const error = await failureOf(clientOf(answer).client.get("/x"));
		expect(error).to.include({ code: 409, type: "PROVIDER_CONFLICT" });
		expect(String(error)).to.contain("is wrong").and.not.contain("glpat-secret");
		expect(await clientOf(answer).client.send({ path: "/x", expected: [409] })).to.include({ status: 409 });
	});

	it("reads an answer without a body", async () => {
		expect(await clientOf({ status: 204 }).client.send({ method: "DELETE", path: "/x" })).to.include({
			status: 204,
			json: undefined,
		});
	});
});

const reader = listReader({ type: "number" }, 10);

/** Answers with what `answer` says for a page. */
function pagedClient(answer: (page: number) => { items: number[]; next?: number }): ProviderClient {
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
		ask,
		pages: { size: {}, next: ({ headers }) => Number(headers["x-next"]) || undefined },
	});
}

describe("ProviderClient.list()", () => {
	const read = (answer: Parameters<typeof pagedClient>[0], most = 5) =>
		pagedClient(answer).list({ path: "/list", reader, most });

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
