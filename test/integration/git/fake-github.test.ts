/** The fake GitHub finds requests and answers that contradict GitHub's description; otherwise its tests would prove nothing. */
import { expect } from "chai";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

describe("the fake GitHub", () => {
	let stage: GitHubStage;

	beforeEach(async () => {
		stage = await GitHubStage.open();
	});

	afterEach(async () => stage[Symbol.asyncDispose]());

	async function send(
		path: string,
		{ token = stage.token, ...init }: RequestInit & { token?: string } = {},
	): Promise<number> {
		const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
		const { status } = await fetch(`${stage.fake.apiUrl}${path}`, { ...init, headers });
		return status;
	}

	it("finds a request that lacks a member, and one whose member has another type", async () => {
		for (const body of [
			{ title: "x", base: "main" },
			{ title: "x", head: "y", base: "main", draft: "maybe" },
		])
			expect(await send("/repos/acme/engine/pulls", { method: "POST", body: JSON.stringify(body) })).to.equal(422);
		expect(stage.fake.violations).to.have.length(2);
	});

	it("finds a request of an operation that the platform is not said to use", async () => {
		expect(await send("/repos/acme/engine", { method: "DELETE" })).to.be.within(404, 501);
		expect(await send("/gists")).to.equal(404);
	});

	it("finds an answer of its own that is wrong", async () => {
		stage.push("work", { "a.txt": "a" });
		const body = JSON.stringify({ title: "x", head: "work", base: "main" });
		expect(await send("/repos/acme/engine/pulls", { method: "POST", body })).to.equal(201);
		expect(stage.fake.violations).to.deep.equal([]);
		stage.fake.state.check(stage.repository, "work", { name: "build", kind: "run", state: "splendid" });
		expect(await send("/repos/acme/engine/commits/work/check-runs")).to.equal(200);
		expect(stage.fake.violations).to.have.length(1);
	});

	it("knows who asks, and hides what others must not see", async () => {
		stage.fake.state.addRepository("acme/secret", stage.repository.git.path, { members: ["grace"] });
		expect(await send("/repos/acme/secret")).to.equal(404);
		expect(await send("/repos/acme/secret", { token: `${stage.token}-grace` })).to.equal(200);
		expect(await send("/user", { token: "wrong" })).to.equal(401);
		expect(stage.fake.violations).to.deep.equal([]);
	});
});
