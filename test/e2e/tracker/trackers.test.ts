/** Trackers of a real platform: those of two persons and that of the configuration, behind fakes of Linear. */
import { expect } from "chai";
import { rmSync } from "node:fs";
import type { TrackerIssue, TrackerStatus } from "#shared/contracts/tracker/issue-fields.ts";
import type { Mapping } from "#shared/contracts/tracker/mappings.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { unknownId } from "../../support/conformance/request.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import {
	connectLinear,
	type LinearDefinition,
	linearDefinition,
} from "../../support/providers/linear/linear-connection.ts";
import { type LinearFake, startLinearFake } from "../../support/providers/linear/linear-fake.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-vera", id: "vera", tenant: "acme", roles: ["viewer"] },
	{ token: "token-of-root", id: "root", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

describe("trackers", function () {
	this.timeout(120_000);
	let everybodys: LinearFake;
	let alices: LinearFake;
	let definition: LinearDefinition;
	let platform: TestPlatform;
	let connection: string;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		everybodys = await startLinearFake("lin_api_platform", "platform");
		everybodys.add({ identifier: "OPS-1", title: "Backup fails" });
		alices = await startLinearFake("lin_api_alice", "alice");
		alices.add({ identifier: "ENG-1", title: "Login fails" });
		alices.add({ identifier: "ENG-2", title: "Logout is slow", project: "project-2" });
		definition = linearDefinition([alices.url]);
		const linear = { enabled: true, api_key: "lin_api_platform", api_url: everybodys.url };
		platform = await startPlatform({ config: { identity: { kwargs: { users } }, linear, ...definition.config } });
		connection = await connectLinear(api("alice"), alices.url, "lin_api_alice");
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await everybodys?.[Symbol.asyncDispose]();
		await alices?.[Symbol.asyncDispose]();
		if (definition) rmSync(definition.folder, { recursive: true, force: true });
	});

	function move<T>(who: string, path: string, body: object) {
		return api(who).request<T>("PATCH", path, { body });
	}

	async function found(who: string, path: string): Promise<string[]> {
		const { status, body, text } = await api(who).get<TrackerIssue[]>(path);
		expect(status, text).to.equal(200);
		return body.map(({ identifier }) => identifier);
	}

	it("are a person's own one, else that of the configuration", async () => {
		const statusOf = async (who: string) => (await api(who).get<TrackerStatus>("/tracker/status")).body;
		const [hers, his] = [await statusOf("alice"), await statusOf("bob")];
		expect(hers).to.deep.equal({ connected: true, provider: "linear", workspace: "Acme", user: "alice" });
		expect(his).to.deep.equal({ connected: true, provider: "linear", workspace: "Acme", user: "platform" });
		expect(await found("alice", "/tracker/issues?q=fails")).to.deep.equal(["ENG-1"]);
		expect(await found("bob", "/tracker/issues?q=fails")).to.deep.equal(["OPS-1"]);
		expect(await found("alice", "/issues/search?q=fails")).to.deep.equal(["ENG-1", "OPS-1"]);
		expect(await found("bob", "/issues/search?q=fails")).to.deep.equal(["OPS-1"]);
		expect((await api("bob").get("/issues/ENG-1")).status).to.equal(404);
		expect((await api("vera").get("/tracker/issues?q=fails")).status).to.equal(200);
		expect((await move("vera", "/tracker/issues/OPS-1", { status: "Done" })).status).to.equal(403);
	});

	it("are tested as the person's connection is", async () => {
		const { body } = await api("alice").post<object>(`/integrations/${connection}/test`, {});
		expect(body).to.include({ success: true, user: "alice", workspace: "Acme" });
		expect((await api("bob").post(`/integrations/${connection}/test`, {})).status).to.equal(404);
	});

	it("find the issues of a project, by the project and by the key of its team", async () => {
		expect(await found("alice", "/tracker/issues/recent?project_id=ENG")).to.deep.equal(["ENG-2", "ENG-1"]);
		expect(await found("alice", "/tracker/issues/recent?project_id=ENG&limit=1")).to.deep.equal(["ENG-2"]);
		expect(await found("alice", "/tracker/issues/recent?project_id=project-2")).to.deep.equal(["ENG-2"]);
		expect(await found("alice", "/tracker/issues?q=log&project_id=project-2")).to.deep.equal(["ENG-2"]);
	});

	it("move issues; an unknown state is refused with those that exist", async () => {
		const moved = await move<TrackerIssue>("alice", "/tracker/issues/ENG-1", { status: "IN PROGRESS" });
		expect([moved.status, moved.body.status]).to.deep.equal([200, "In Progress"]);
		expect((await api("alice").get<TrackerIssue>("/issues/ENG-1")).body.status).to.equal("In Progress");
		const refused = await api("alice").post<{ detail: string }>("/issues/ENG-1/status", { status: "Shipped" });
		expect(refused.status).to.equal(422);
		expect(refused.body.detail).to.equal(
			'The tracker has no state "Shipped" for this issue; there are "Backlog", "Todo", "In Progress", "Done", "Canceled"',
		);
		const before = alices.operations.length;
		expect((await api("alice").post("/issues/ENG-1/status", { status: "in progress" })).status).to.equal(200);
		expect(alices.operations.slice(before), "nothing to do").not.to.include("Update");
	});

	it("are asked once in 30 s for the same, and again after a move", async () => {
		const asked = async () => {
			const before = alices.operations.length;
			await found("alice", "/tracker/issues?q=cached");
			return alices.operations.length - before;
		};
		expect([await asked(), await asked()]).to.deep.equal([1, 0]);
		await move("alice", "/tracker/issues/ENG-1", { status: "Todo" });
		expect(await asked()).to.equal(1);
		const others = everybodys.operations.length;
		await found("bob", "/tracker/issues?q=cached");
		expect(everybodys.operations.length - others, "another person").to.equal(1);
		await found("vera", "/tracker/issues?q=cached");
		expect(everybodys.operations.length - others, "another person with the same tracker").to.equal(2);
	});

	it("that fail are skipped where all are asked, and say what is wrong where one is", async () => {
		const faults = [
			{ answer: { status: 401, body: { errors: [{ message: "no" }] } }, status: 401, code: "PROVIDER_REFUSED" },
			{
				answer: { status: 400, body: { errors: [{ message: "slow down", extensions: { code: "RATELIMITED" } }] } },
				status: 503,
				code: "PROVIDER_BUSY",
			},
			{ answer: { status: 500, body: {} }, status: 502, code: "PROVIDER_FAILED" },
			{
				answer: { status: 200, body: { data: { searchIssues: { nodes: [{ id: 1 }] } } } },
				status: 502,
				code: "PROVIDER_MALFORMED",
			},
			{ answer: { status: 200, body: { data: null } }, status: 502, code: "PROVIDER_MALFORMED" },
		];
		for (const [n, { answer, status, code }] of faults.entries()) {
			alices.fault = (response) => {
				response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
				return true;
			};
			const one = await api("alice").get<{ detail: string }>(`/tracker/issues?q=fails${n}`);
			expect([one.status, one.headers.get("x-error-code")], one.text).to.deep.equal([status, code]);
			expect(one.body.detail).to.include("Linear").and.not.include("lin_api");
			expect(await found("alice", `/issues/search?q=backup+${n}`)).to.deep.equal(["OPS-1"]);
		}
		alices.fault = undefined;
		await connectLinear(api("root"), alices.url, "lin_api_of_nobody");
		const { body } = await api("root").get<TrackerStatus>("/tracker/status");
		expect(body).to.deep.equal({ connected: false, provider: "linear", workspace: null, user: null });
		expect(await found("root", "/issues/search?q=fails"), "the other tracker").to.deep.equal(["OPS-1"]);
	});

	it("wait for Linear's limits when there is time", async () => {
		let refusals = 1;
		alices.fault = (response) => {
			if (refusals-- <= 0) return false;
			response.writeHead(429, { "retry-after": "1" }).end();
			return true;
		};
		expect(await found("alice", "/tracker/issues?q=patiently+fails")).to.deep.equal(["ENG-1"]);
		alices.fault = undefined;
	});

	describe("mappings", () => {
		const repo_url = "https://github.com/acme/shop";
		const map = (who: string, body: object, headers: Record<string, string> = {}) =>
			api(who).request<Mapping>("POST", "/tracker/mappings", { body: { project_id: "ENG", ...body }, headers });

		it("are read by the tenant and deleted by their creator or an administrator; others find nothing", async () => {
			const { status, body } = await map("alice", { repo_url, tracker: "linear", on_start: "In Progress" });
			expect(status).to.equal(201);
			expect(body).to.include({ repo_url, project_name: "", on_merge: null, connection_id: null });
			for (const who of ["alice", "bob", "vera"])
				expect((await api(who).get<Mapping[]>("/tracker/mappings")).body.map(({ id }) => id)).to.deep.equal([body.id]);
			expect((await api("carol").get("/tracker/mappings")).body).to.deep.equal([]);
			const path = `/tracker/mappings/${body.id}`;
			expect((await api("bob").delete(path)).status).to.equal(403);
			expect((await api("vera").delete(path)).status).to.equal(403);
			const [foreign, unknown] = [
				await api("carol").delete(path),
				await api("carol").delete(`/tracker/mappings/${unknownId}`),
			];
			expect([foreign.status, foreign.text.replace(body.id, unknownId)]).to.deep.equal([404, unknown.text]);
			expect((await map("carol", { repo_url })).status, "another tenant's own").to.equal(201);
			expect((await api("root").delete(path)).status).to.equal(204);
			expect((await map("vera", { repo_url })).status, "a viewer").to.equal(403);
		});

		it("are one of a person for a repository, whatever form its URL has", async () => {
			expect((await map("alice", { repo_url })).status).to.equal(201);
			for (const form of [
				"git@github.com:acme/shop.git",
				"ssh://git@github.com/acme/shop",
				"github.com/acme/shop",
				`${repo_url}.git/`,
			])
				expect((await map("alice", { repo_url: form })).status, form).to.equal(409);
			expect((await map("bob", { repo_url })).status, "his own").to.equal(201);
			for (const wrong of ["https://u:p@github.com/acme/shop", "-x", "ext::sh -c x", "no url", "https://github.com"])
				expect((await map("bob", { repo_url: wrong })).status, wrong).to.equal(422);
		});

		it("are made once by a repeated request", async () => {
			const body = { repo_url: "https://github.com/acme/once" };
			const headers = { "idempotency-key": "once" };
			const answers = await Promise.all([1, 2, 3].map(() => map("alice", body, headers)));
			expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
			expect(new Set(answers.map(({ text }) => text))).to.have.length(1);
			expect((await map("bob", body, headers)).body.id, "somebody else").not.to.equal(answers[0]?.body.id);
			const others = [{ repo_url: "https://github.com/acme/another" }, { ...body, project_id: "OPS" }];
			for (const other of others) expect((await map("alice", other, headers)).status, "another request").to.equal(422);
			const { body: all } = await api("alice").get<Mapping[]>("/tracker/mappings");
			expect(all.map((one) => one.repo_url)).not.to.include("https://github.com/acme/another");
		});

		it("name a connection of their creator only, and its kind for others", async () => {
			const body = { repo_url: "https://github.com/acme/by-connection", connection_id: connection };
			expect((await map("bob", body)).status).to.equal(422);
			expect((await map("alice", body)).body).to.include({ connection_id: connection, tracker: "linear" });
		});
	});
});
