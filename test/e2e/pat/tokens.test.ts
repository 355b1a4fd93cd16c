/** Personal access tokens of a real platform: what they may do, whose they are, and how they end. */
import { expect } from "chai";
import type { PersonalToken } from "#shared/contracts/pat/tokens.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { unknownId } from "../../support/conformance/request.ts";
import { tokenSpellings } from "../../support/hostile/token-spellings.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

type Shown = PersonalToken & { token: string };

const path = "/tokens";
const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-victor", id: "victor", tenant: "acme", roles: ["viewer"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

describe("personal access tokens", function () {
	this.timeout(120_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	/** The operations on tokens of a person. */
	const desk = (name: string): ApiClient =>
		new ApiClient(`${platform.url}/api/v1/users`, { authorization: `Bearer token-of-${name}` });
	/** The API as a program with a token sees it. */
	const program = (token: string): ApiClient => platform.client({ authorization: `Bearer ${token}` });

	async function issued(name: string, body: object): Promise<Shown> {
		const answer = await desk(name).post<Shown>(path, body);
		expect(answer.status, answer.text).to.equal(201);
		return answer.body;
	}

	it("do what their scope and their owner may", async () => {
		const [read, write] = [
			await issued("alice", { name: "a read", scope: "read" }),
			await issued("alice", { name: "a write" }),
		];
		const [ofViewer, ofAdmin, ofAdminWrite] = [
			await issued("victor", { name: "v" }),
			await issued("carol", { name: "c", scope: "admin" }),
			await issued("carol", { name: "c write" }),
		];
		expect((await desk("alice").post(path, { name: "a admin", scope: "admin" })).status).to.equal(403);
		const outcomes = async ({ token }: Shown) => [
			(await program(token).get("/prompts")).status,
			(await program(token).post("/prompts", { name: "p", content: "c" })).status,
			(await program(token).get("/admin/settings")).status,
		];
		expect(await outcomes(read)).to.deep.equal([200, 403, 403]);
		expect(await outcomes(write)).to.deep.equal([200, 201, 403]);
		expect(await outcomes(ofViewer)).to.deep.equal([200, 403, 403]);
		expect(await outcomes(ofAdmin)).to.deep.equal([200, 201, 200]);
		expect(await outcomes(ofAdminWrite)).to.deep.equal([200, 201, 403]);
	});

	it("neither make, show nor revoke tokens", async () => {
		const { token, id } = await issued("carol", { name: "no desk", scope: "admin" });
		const behind = new ApiClient(`${platform.url}/api/v1/users`, { authorization: `Bearer ${token}` });
		const answers = [
			await behind.get(path),
			await behind.post(path, { name: "more" }),
			await behind.delete(`${path}/${id}`),
			await behind.delete(path),
		];
		expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403]);
		expect((await program(token).get("/prompts")).status).to.equal(200);
	});

	it("belong to their owner alone", async () => {
		const { id, token } = await issued("alice", { name: "hers" });
		expect((await desk("carol").get<Shown[]>(path)).text).to.not.include(id);
		const foreign = await desk("carol").delete(`${path}/${id}`);
		const unknown = await desk("carol").delete(`${path}/${unknownId}`);
		expect([foreign.status, unknown.status]).to.deep.equal([404, 404]);
		expect(foreign.text.replaceAll(id, unknownId)).to.equal(unknown.text);
		await desk("carol").delete(path);
		expect((await program(token).get("/prompts")).status).to.equal(200);
	});

	it("are shown once; a repeated request gets no second one", async () => {
		const headers = { "idempotency-key": "the-same" };
		const body = { name: "once" };
		const first = await desk("alice").request<Shown>("POST", path, { body, headers });
		const second = await desk("alice").request("POST", path, { body, headers });
		expect([first.status, second.status]).to.deep.equal([201, 409]);
		const list = await desk("alice").get<PersonalToken[]>(path);
		expect(list.body.filter(({ name }) => name === "once")).to.have.length(1);
		expect(list.text).to.not.include(first.body.token);
		expect(second.text).to.not.include(first.body.token);
	});

	it("end when they are revoked, in every spelling, alone or all at once", async () => {
		const { id, token } = await issued("alice", { name: "to revoke" });
		const other = await issued("alice", { name: "stays" });
		const api = program(token);
		expect((await api.get("/prompts")).status).to.equal(200);
		const spellings = tokenSpellings(token);
		expect(spellings.length).to.be.above(70);
		const accepted = async (): Promise<string[]> => {
			const answers = await Promise.all(
				spellings.map(async (one) => ({ one, ...(await program(one).get("/prompts")) })),
			);
			return answers.filter(({ status }) => status !== 401).map(({ one, status }) => `${status} ${one}`);
		};
		expect(await accepted(), "other spellings of an active token").to.deep.equal([]);
		expect((await desk("alice").delete(`${path}/${id}`)).status).to.equal(204);
		const refused = await api.get("/prompts");
		expect([refused.status, refused.text]).to.deep.equal([401, '{"detail":"Token has been revoked"}']);
		expect(await accepted(), "spellings of a revoked token").to.deep.equal([]);
		expect((await program(other.token).get("/prompts")).status).to.equal(200);
		expect((await desk("alice").delete(path)).status).to.equal(204);
		expect((await program(other.token).get("/prompts")).status).to.equal(401);
		expect((await desk("alice").get<Shown[]>(path)).body).to.deep.equal([]);
	});

	it("stay revoked when the key of their request is used again", async () => {
		const request = { body: { name: "again" }, headers: { "idempotency-key": "used-again" } };
		const first = await desk("alice").request<Shown>("POST", path, request);
		expect((await desk("alice").delete(`${path}/${first.body.id}`)).status).to.equal(204);
		const second = await desk("alice").request<Shown>("POST", path, request);
		const statuses = [first, second].map(async ({ body }) => (await program(body.token).get("/prompts")).status);
		expect(await Promise.all(statuses)).to.deep.equal([401, 200]);
	});

	it("take their streams with them, and those of others stay", async () => {
		const [ends, stays] = [await issued("alice", { name: "ends" }), await issued("alice", { name: "stays" })];
		const open = ({ token }: Shown) => platform.events({ headers: { authorization: `Bearer ${token}` } });
		await using ended = await open(ends);
		await using staying = await open(stays);
		expect((await desk("alice").delete(`${path}/${ends.id}`)).status).to.equal(204);
		await ended.ended();
		const { body } = await desk("alice").get<PersonalToken[]>(path);
		expect(body.map(({ name }) => name)).to.include("stays");
		const made = await program(stays.token).post<{ id: string }>("/sessions", { name: "seen" });
		await staying.event(({ data }) => data.includes(made.body.id));
	});

	it("end with the person, and follow the person's roles", async () => {
		const [ofAlice, ofCarol] = [
			await issued("alice", { name: "before" }),
			await issued("carol", { name: "before", scope: "admin" }),
		];
		const [alice, , carol] = users;
		const left = [
			{ ...carol, roles: [] },
			{ ...alice, tenant: "elsewhere" },
		];
		await platform.stop();
		platform.reconfigure({ identity: { kwargs: { users: left } } });
		await platform.start();
		expect((await program(ofAlice.token).get("/prompts")).status, "the person is gone").to.equal(401);
		expect((await program(ofCarol.token).get("/admin/settings")).status, "the role is gone").to.equal(403);
		expect((await program(ofCarol.token).get("/prompts")).status).to.equal(200);
	});
});
