/** Repositories of a real platform: those of a person's own connection and those of the configuration, at fakes of GitHub. */
import { expect } from "chai";
import type { Provider, Repository, RepoValidation } from "#shared/contracts/git/repositories.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

describe("repositories", function () {
	this.timeout(120_000);
	/** The platform's own GitHub, and the one that Alice connects to. */
	let everybodys: GitHubStage;
	let alices: GitHubStage;
	let platform: TestPlatform;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		everybodys = await GitHubStage.open();
		alices = await GitHubStage.open();
		alices.pushBranches("hers", 1);
		const { apiUrl: base_url } = everybodys.fake;
		const instances = [{ name: "platform", base_url, token: everybodys.token, orgs: ["acme"] }];
		platform = await startPlatform({
			config: {
				identity: { kwargs: { users } },
				git: { github: { instances }, validate_on_create: true },
				outbound: { allow: [new URL(alices.fake.url).origin] },
			},
		});
		await connect("alice", alices.token);
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await everybodys?.[Symbol.asyncDispose]();
		await alices?.[Symbol.asyncDispose]();
	});

	async function connect(who: string, token: string, orgs = "acme"): Promise<string> {
		const name = `github-${crypto.randomUUID()}`;
		expect((await api(who).post("/credentials", { name, data: { token } })).status).to.equal(201);
		const config = { name: "mine", base_url: alices.fake.apiUrl, ...(orgs !== "" && { orgs }) };
		const body = { integration_type: "source_control", slug: "github", credential_name: name, config };
		const { status, body: made, text } = await api(who).post<{ id: string }>("/integrations", body);
		expect(status, text).to.equal(201);
		return made.id;
	}

	async function get<T>(who: string, path: string, status = 200): Promise<T> {
		const answer = await api(who).get<T>(path);
		expect(answer.status, answer.text).to.equal(status);
		return answer.body;
	}

	const branchesOf = (url: string) => `/repos/branches?repo_url=${encodeURIComponent(url)}`;

	it("of a person's connection are that person's alone", async () => {
		expect(await get<string[]>("alice", branchesOf(alices.url))).to.deep.equal(["main", "hers-1"]);
		for (const who of ["bob", "carol"]) {
			const { detail } = await get<{ detail: string }>(who, branchesOf(alices.url), 400);
			expect(detail).to.contain(new URL(alices.url).host).and.not.contain(alices.token);
		}
		const asked = alices.fake.requests.map(({ authorization }) => authorization);
		expect(new Set(asked)).to.deep.equal(new Set([`Bearer ${alices.token}`]));
		for (const who of ["alice", "bob"])
			expect(await get<string[]>(who, branchesOf(everybodys.url))).to.deep.equal(["main"]);
	});

	it("are listed by their providers; the list of providers has those of the configuration", async () => {
		const hers = await get<Record<string, Repository[]>>("alice", "/repos");
		expect(Object.keys(hers)).to.deep.equal(["mine", "platform"]);
		expect(hers["mine"]?.map(({ name, branches }) => [name, branches])).to.deep.equal([["engine", ["main"]]]);
		expect(Object.keys(await get<object>("bob", "/repos"))).to.deep.equal(["platform"]);
		expect((await get<Provider[]>("alice", "/providers")).map(({ name }) => name)).to.deep.equal(["platform"]);
		expect(await get<Repository[]>("alice", "/repos/mine/orgs/acme")).to.have.length(1);
		await get("bob", "/repos/mine/orgs/acme", 404);
		await get("bob", "/repos/platform/orgs/elsewhere", 404);
	});

	it("that could not be listed are named beside those that were, in a header", async () => {
		everybodys.fake.faults.push((response) => {
			response.writeHead(429, { "retry-after": "3600" }).end("{}");
		});
		const { status, body, headers } = await api("alice").get<Record<string, Repository[]>>("/repos");
		expect([status, body["platform"], body["mine"]?.length]).to.deep.equal([200, [], 1]);
		const warnings = JSON.parse(`[${headers.get("atelier-warnings")}]`) as string[];
		expect(warnings).to.have.length(1);
		expect(warnings[0]).to.match(/^Repositories of "platform" are missing: GitHub "platform" /);
		expect((await api("alice").get("/repos")).headers.get("atelier-warnings")).to.equal(null);
	});

	it("of the account itself are listed where a connection names no organization", async () => {
		alices.fake.state.addRepository("grace/own", alices.repository.git.path, { members: ["grace"] });
		await connect("carol", `${alices.token}-grace`, "");
		const listed = await get<Record<string, Repository[]>>("carol", "/repos");
		expect(listed["mine"]?.map(({ org, name }) => `${org}/${name}`)).to.deep.equal(["grace/own"]);
		await get("alice", branchesOf(`${alices.fake.url}/grace/own`), 404);
	});

	it("that were changed at the provider are told anew, and not when nothing changed", async () => {
		const first = await api("bob").get<string[]>(branchesOf(everybodys.url));
		const headers = { "if-none-match": first.headers.get("etag") ?? "" };
		const again = await api("bob").request("GET", branchesOf(everybodys.url), { headers });
		expect(again.status).to.equal(304);
		everybodys.pushBranches("new", 1);
		const changed = await api("bob").request("GET", branchesOf(everybodys.url), { headers });
		expect(changed.status).to.equal(200);
	});

	it("have errors that name the provider and no credential", async () => {
		const lost = `ghp_${"x".repeat(36)}`;
		await connect("bob", lost);
		const { detail } = await get<{ detail: string }>("bob", branchesOf(alices.url), 401);
		expect(detail).to.contain('GitHub "mine"').and.not.contain(lost);
		everybodys.fake.faults.push((response) => {
			response.writeHead(429, { "retry-after": "3600" }).end("{}");
		});
		const busy = await get<{ detail: string }>("carol", branchesOf(everybodys.url), 503);
		expect(busy.detail).to.match(/GitHub "platform" has too many requests .* try again in 3600 s/);
	});

	it("that do not exist are refused for a new session; what nobody knows is not", async () => {
		const create = (repo: string) =>
			api("carol").post<{ id: string; detail: string }>("/sessions", {
				name: "checked",
				source: { type: "git", repo },
			});
		const missing = `${everybodys.url.replace("/engine", "/no-such")}`;
		const verdict = await get<RepoValidation>("carol", `/repos/validate?repo_url=${encodeURIComponent(missing)}`);
		expect(verdict).to.include({ valid: false, provider: "platform" });
		const refused = await create(missing);
		expect(refused.status, refused.text).to.equal(422);
		expect(refused.headers.get("x-error-code")).to.equal("REPOSITORY_UNKNOWN");
		expect(refused.body.detail).to.contain("acme/no-such");
		for (const repo of [everybodys.url, "https://git.invalid/org/repo", ""]) {
			const { status, text, body } = await create(repo);
			expect(status, text).to.equal(201);
			expect((await api("carol").delete(`/sessions/${body.id}`)).status).to.equal(204);
		}
		everybodys.fake.faults.push(() => {});
		const patient = await create(missing);
		expect(patient.status, patient.text).to.equal(201);
		expect((await api("carol").delete(`/sessions/${patient.body.id}`)).status).to.equal(204);
	});
});
