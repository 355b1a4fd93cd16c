/** A test of a connection really asks its server, says what failed, and tells no secret; connections are bounded. */
import { expect } from "chai";
import type { ServerResponse } from "node:http";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { answeringServer, type AnsweringServer, json } from "../../support/integrations/answering-server.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

interface Outcome {
	readonly success: boolean;
	readonly provider: string;
	readonly user: string | null;
	readonly error: string | null;
}

const canary = "canary-secret-of-a-connection";
const maxPerUser = 6;

/** Answers with bytes that are no JSON. */
function raw(status: number, text: string): AnsweringServer["answer"] {
	return (_asked, response: ServerResponse) => void response.writeHead(status).end(text);
}

describe("tests of connections", function () {
	this.timeout(60_000);
	let server: AnsweringServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		server = await answeringServer();
		platform = await startPlatform({
			config: { outbound: { allow: [server.url] }, integrations: { max_per_user: maxPerUser } },
		});
		api = platform.client();
		const data = { token: canary, api_key: canary, bot_token: canary, chat_id: "1" };
		expect((await api.post("/credentials", { name: "key", data })).status).to.equal(201);
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await server?.[Symbol.asyncDispose]();
	});

	async function connected<T>(order: object, use: (id: string) => Promise<T>): Promise<T> {
		const { status, body, text } = await api.post<{ id: string }>("/integrations", {
			credential_name: "key",
			...order,
		});
		expect(status, text).to.equal(201);
		try {
			return await use(body.id);
		} finally {
			await api.delete(`/integrations/${body.id}`);
		}
	}

	async function tested(order: object): Promise<Outcome> {
		return connected(order, async (id) => {
			server.asked.length = 0;
			const { status, body, text } = await api.post<Outcome>(`/integrations/${id}/test`);
			expect(status, text).to.equal(200);
			expect(text).not.to.contain("canary");
			expect(body.success).to.equal(body.error === null);
			return body;
		});
	}

	const anthropic = () => ({ integration_type: "ai_provider", slug: "anthropic", config: { base_url: server.url } });
	const openai = () => ({ integration_type: "ai_provider", slug: "openai", config: { base_url: `${server.url}/` } });
	const volundr = () => ({ integration_type: "code_forge", config: { url: `${server.url}/base` } });
	const github = () => ({ integration_type: "source_control", slug: "github", config: { base_url: server.url } });

	it("ask providers of models with their own headers", async () => {
		server.answer = json(200, { data: [] });
		expect(await tested(anthropic())).to.include({ success: true, provider: "anthropic", user: null });
		expect(server.asked.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(["GET /v1/models"]);
		expect(server.asked[0]?.headers).to.include({ "x-api-key": canary, "anthropic-version": "2023-06-01" });
		expect(await tested(openai())).to.include({ success: true, provider: "openai" });
		expect(server.asked[0]).to.include({ path: "/v1/models" });
		expect(server.asked[0]?.headers).to.include({ authorization: `Bearer ${canary}` });
	});

	it("ask other platforms and git providers who the user is", async () => {
		server.answer = json(200, { display_name: "Ada", email: "ada@example.org", login: "ada", id: 1 });
		expect(await tested(volundr())).to.include({ success: true, provider: "volundr", user: "Ada" });
		expect(server.asked[0]).to.include({ method: "GET", path: "/base/api/v1/volundr/me" });
		expect(await tested(github())).to.include({ success: true, provider: "github", user: "ada" });
		expect(server.asked[0]?.path).to.equal("/user");
	});

	it("ask trackers by their adapters", async () => {
		const identity = { viewer: { displayName: "Ada", email: "", organization: { name: "Acme" } } };
		server.answer = json(200, { data: identity });
		const linear = { integration_type: "issue_tracker", slug: "linear", config: { api_url: server.url } };
		expect(await tested(linear)).to.include({ success: true, provider: "linear", user: "Ada", workspace: "Acme" });
		expect(server.asked[0]).to.include({ method: "POST", path: "/" });
		server.answer = json(401, {});
		expect((await tested(linear)).error).to.contain("refused");
		const jira = { integration_type: "issue_tracker", slug: "jira", config: { site_url: server.url } };
		expect((await tested(jira)).error).to.equal('The credential "key" has no field "api_token"');
	});

	it("say what failed, and never repeat a secret", async () => {
		for (const [answer, said] of [
			[json(401, { error: `bad key ${canary}` }), "refused the credential (401)"],
			[json(403, {}), "refused the credential (403)"],
			[json(500, { error: canary }), "answered with 500"],
			[raw(200, "<html>"), "something else than JSON"],
			[raw(200, `[${"0,".repeat(1_000_000)}0]`), "more than 1048576 bytes"],
			[(_asked: unknown, response: ServerResponse) => response.destroy(), "cannot be reached"],
		] as const) {
			server.answer = answer;
			const { success, error } = await tested(anthropic());
			expect(success, said).to.equal(false);
			expect(error).to.contain(said);
		}
		server.answer = (_asked, response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end();
		expect((await tested(anthropic())).error).to.contain("must begin with https://");
		expect(server.asked).to.have.length(1);
		server.answer = json(401, { message: "Bad credentials" });
		const refused = await tested(github());
		expect(refused.success).to.equal(false);
		expect(refused.error).to.contain("refused the credential");
	});

	it("end when a server does not answer", async () => {
		server.answer = () => {};
		const since = performance.now();
		expect((await tested(anthropic())).error).to.contain("did not answer within 5000 ms");
		expect(performance.now() - since).to.be.below(15_000);
	});

	it("say what is missing without asking anybody", async () => {
		const messaging = { integration_type: "messaging", slug: "telegram" };
		expect((await tested(messaging)).error).to.equal("Telegram cannot be tested: this is not supported");
		const { error } = await tested({ ...anthropic(), credential_name: "none" });
		expect(error).to.equal('The credential "none" does not exist');
		await api.post("/credentials", { name: "half", data: { other: "x" } });
		expect((await tested({ ...anthropic(), credential_name: "half" })).error).to.equal(
			'The credential "half" has no field "api_key"',
		);
		expect(server.asked).to.deep.equal([]);
	});

	it("are made one at a time for each person", async () => {
		let open: ServerResponse | undefined;
		const waiting = Promise.withResolvers<void>();
		server.answer = (_asked, response) => {
			open = response;
			waiting.resolve();
		};
		await connected(anthropic(), async (id) => {
			const first = api.post<Outcome>(`/integrations/${id}/test`);
			await waiting.promise;
			const second = await api.post<Outcome>(`/integrations/${id}/test`);
			expect([second.status, second.body.error]).to.deep.equal([
				200,
				"Another connection of yours is being tested: try again after that",
			]);
			open?.writeHead(200).end("{}");
			expect((await first).body).to.include({ success: true });
			server.answer = json(200, {});
			expect((await api.post<Outcome>(`/integrations/${id}/test`)).body).to.include({ success: true });
		});
	});

	it("need connections, of which a person has a bounded number, also by requests at the same moment", async () => {
		const order = { integration_type: "messaging", credential_name: "key" };
		const answers = await Promise.all(Array.from({ length: 12 }, () => api.post("/integrations", order)));
		const statuses = answers.map(({ status }) => status);
		const made = statuses.filter((status) => status === 201).length;
		expect(statuses.filter((status) => status === 409)).to.have.length(12 - made);
		const listed = async () => (await api.get<{ id: string }[]>("/integrations")).body;
		expect(await listed()).to.have.length(made);
		for (let more = made; more < maxPerUser; more++)
			expect((await api.post("/integrations", order)).status).to.equal(201);
		expect((await api.post("/integrations", order)).status).to.equal(409);
		const body = await listed();
		expect(body).to.have.length(maxPerUser);
		for (const { id } of body) expect((await api.delete(`/integrations/${id}`)).status).to.equal(204);
	});

	it("leave connections as they are by a repeated request with the same key", async () => {
		const order = { integration_type: "messaging", credential_name: "key" };
		const headers = { "idempotency-key": "one" };
		const create = (body: object) => api.request<{ id: string }>("POST", "/integrations", { body, headers });
		const [first, again] = [await create(order), await create(order)];
		expect([again.status, again.body.id]).to.deep.equal([201, first.body.id]);
		expect((await create({ ...order, enabled: false })).status).to.equal(422);
		expect((await api.get<unknown[]>("/integrations")).body).to.have.length(1);
		await api.delete(`/integrations/${first.body.id}`);
	});
});
