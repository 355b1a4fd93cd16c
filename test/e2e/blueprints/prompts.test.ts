/** Saved prompts of a real platform: two persons of a tenant and one of another. test/e2e/crashes kills it in the middle of their changes. */
import { expect } from "chai";
import type { Prompt } from "#shared/contracts/blueprints/prompts.ts";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { unknownId } from "../../support/conformance/request.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

describe("prompts", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	async function create(body: object, headers: Record<string, string> = {}): Promise<Answer<Prompt>> {
		const answer = await api("alice").request<Prompt>("POST", "/prompts", { body, headers });
		expect(answer.status, answer.text).to.equal(201);
		return answer;
	}

	async function namesFor(who: string, path = "/prompts"): Promise<string[]> {
		return (await api(who).get<Prompt[]>(path)).body.map(({ name }) => name);
	}

	it("of a tenant are read by its people and changed by their creator; others find nothing", async () => {
		const { id } = (await create({ name: "hers", content: "her words" })).body;
		expect(await namesFor("bob")).to.deep.equal(["hers"]);
		expect(await namesFor("bob", "/prompts/search?q=WORDS")).to.deep.equal(["hers"]);
		expect(await namesFor("carol")).to.deep.equal([]);
		expect(await namesFor("carol", "/prompts/search?q=words")).to.deep.equal([]);
		expect((await api("bob").put(`/prompts/${id}`, { name: "his" })).status).to.equal(403);
		expect((await api("bob").delete(`/prompts/${id}`)).status).to.equal(403);
		const attempts = (other: string) => [
			api("carol").put(`/prompts/${other}`, { name: "hers too" }),
			api("carol").delete(`/prompts/${other}`),
		];
		const [foreign, unknown] = await Promise.all([id, unknownId].map((other) => Promise.all(attempts(other))));
		expect(foreign?.map(({ status }) => status)).to.deep.equal([404, 404]);
		expect(foreign?.map(({ text }) => text.replaceAll(id, unknownId))).to.deep.equal(unknown?.map(({ text }) => text));
		expect(await namesFor("alice")).to.deep.equal(["hers"]);
		expect((await api("alice").delete(`/prompts/${id}`)).status).to.equal(204);
	});

	it("come in pages with an entity tag, and one that has not changed is not sent again", async () => {
		const ids = [];
		for (const name of ["one", "two", "three"]) ids.push((await create({ name, content: "x y z" })).body.id);
		for (const path of ["/prompts?limit=2", "/prompts/search?q=y&limit=2", "/prompts?repo=git.example/a&limit=2"]) {
			const page = await api("bob").get<Prompt[]>(path);
			expect(page.body.map(({ name }) => name)).to.deep.equal(["three", "two"]);
			const next = /<\/api\/v1\/svc([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
			expect(await namesFor("bob", next)).to.deep.equal(["one"]);
			const tag = page.headers.get("etag") ?? "";
			const again = await api("bob").get(path, { headers: { "if-none-match": tag } });
			expect([again.status, again.text]).to.deep.equal([304, ""]);
		}
		for (const id of ids) await api("alice").delete(`/prompts/${id}`);
	});
});
