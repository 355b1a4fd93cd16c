/** The fake GitLab finds requests and answers that contradict the description of its calls; otherwise its tests would prove nothing. */
import { expect } from "chai";
import { GitLabStage } from "../../support/providers/gitlab/gitlab-stage.ts";

const requests = "/projects/acme%2Fmotors%2Fengine/merge_requests";

describe("the fake GitLab", () => {
	let stage: GitLabStage;

	beforeEach(async () => {
		stage = await GitLabStage.open();
	});

	afterEach(async () => stage[Symbol.asyncDispose]());

	async function send(
		path: string,
		{ token = stage.token, ...init }: RequestInit & { token?: string } = {},
	): Promise<number> {
		const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
		const { status } = await fetch(`${stage.fake.url}/api/v4${path}`, { ...init, headers });
		return status;
	}

	it("finds a request that lacks a member, has an unknown one, or a wrong parameter", async () => {
		for (const body of [
			{ title: "x", target_branch: "main" },
			{ title: "x", source_branch: "y", target_branch: "main", draft: true },
		])
			expect(await send(requests, { method: "POST", body: JSON.stringify(body) })).to.equal(400);
		expect(await send(`${requests}?state=open`)).to.equal(400);
		expect(stage.fake.violations).to.have.length(3);
	});

	it("finds a request of a call that the platform is not said to use", async () => {
		expect(await send("/projects/acme%2Fmotors%2Fengine", { method: "DELETE" })).to.be.within(400, 501);
		expect(await send("/snippets")).to.equal(404);
		expect(stage.fake.violations).to.have.length(2);
	});

	it("finds an answer of its own that is wrong", async () => {
		stage.fake.state.setStatus(stage.project, "main", { name: "build", status: "splendid", allow_failure: false });
		const sha = stage.project.git.commitOf("main");
		expect(await send(`/projects/acme%2Fmotors%2Fengine/repository/commits/${sha}/statuses`)).to.equal(200);
		expect(stage.fake.violations).to.have.length(1);
	});

	it("knows who asks, and hides what others must not see", async () => {
		stage.fake.state.addProject("acme/secret", stage.project.git.path, ["grace"]);
		expect(await send("/projects/acme%2Fsecret")).to.equal(404);
		expect(await send("/projects/acme%2Fsecret", { token: `${stage.token}-grace` })).to.equal(200);
		expect(await send("/user", { token: "wrong" })).to.equal(401);
		expect(stage.fake.violations).to.deep.equal([]);
	});
});
