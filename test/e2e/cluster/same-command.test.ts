/**
 * The same command with one key, eight times at once at two gateways over real NATS and MongoDB servers: it is taken once,
 * and all callers get the same answer.
 * Night: it starts a cluster.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { Answer } from "../../support/clients/api-client.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";

const callers = 8;

interface Seen extends SessionView {
	rev: number;
	budget: { limit: number | null };
}

describe("the same command from eight callers at two gateways", function () {
	this.timeout(240_000);
	let cluster: Cluster;
	let told: SseClient;
	let id: string;

	before(async () => {
		cluster = await startCluster();
		told = await cluster.events();
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});
	after(async () => {
		await told?.close();
		await cluster?.[Symbol.asyncDispose]();
	});

	const view = async () => (await cluster.client().get<Seen>(`/sessions/${id}`)).body;

	/** Sends the request as often as there are callers, with one key; resolves to the answers, which are all successes. */
	async function fromAll<T>(method: string, path: string, body?: unknown): Promise<Answer<T>[]> {
		const key = { "idempotency-key": randomUUID() };
		const clients = ["gateway-1", "gateway-2"].map((name) => cluster.client(name, key));
		const answers = await Promise.all(
			Array.from({ length: callers }, (_, n) =>
				(clients[n % clients.length] ?? expect.fail()).request<T>(method, path, { body }),
			),
		);
		for (const { status, text } of answers) expect(status, text).to.be.lessThan(300);
		return answers;
	}

	/** Does the same; resolves to the one answer that all of them got. */
	async function together<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
		const [first = expect.fail(), ...others] = await fromAll<T>(method, path, body);
		for (const { status, text } of others) expect([status, text]).to.deep.equal([first.status, first.text]);
		return first;
	}

	/** Returns how often the stream has told of a session's status. */
	const timesTold = (status: string) =>
		told.events.filter(({ event, data }) => event === "session_updated" && isOf(data, status)).length;
	const isOf = (data: string, status: string) => {
		const session: SessionView = JSON.parse(data);
		return session.id === id && session.status === status && session.status_reason?.code !== "LAUNCH_WAITING";
	};

	it("creates one session", async () => {
		({ id } = (await together<SessionView>("POST", "/sessions", { name: "one", budget: { limit: 5 } })).body);
		await sessionReaches(cluster.client(), id, "running", 60_000);
		const list = (await cluster.client().get<SessionView[]>("/sessions")).body;
		expect(list.map((one) => one.id)).to.deep.equal([id]);
		expect(told.events.filter(({ event }) => event === "session_created")).to.have.length(1);
		expect(cluster.platform.agents()).to.have.length(1);
	});

	it("sends one message", async () => {
		const { message_id } = (
			await together<{ message_id: string }>("POST", `/sessions/${id}/messages`, { content: "echo" })
		).body;
		const { turns } = (await cluster.client().get<{ turns: { role: string }[] }>(`/sessions/${id}/conversation`)).body;
		expect(message_id).to.match(/^[\w-]+$/);
		expect(turns.filter(({ role }) => role === "user")).to.have.length(1);
	});

	it("changes name and budget to the same for all, although each update is a change of its own", async () => {
		const { rev } = await view();
		const answers = await fromAll<Seen>("PUT", `/sessions/${id}`, { name: "two", budget: { limit: 7 } });
		for (const { body } of answers) expect([body.name, body.budget.limit]).to.deep.equal(["two", 7]);
		expect(new Set(answers.map(({ body }) => body.rev)).size).to.equal(callers);
		const after = await view();
		expect([after.name, after.budget.limit]).to.deep.equal(["two", 7]);
		expect(after.rev - rev).to.be.at.least(callers);
	});

	it("stops and starts once", async () => {
		await together("POST", `/sessions/${id}/stop`);
		await sessionReaches(cluster.client(), id, "stopped", 60_000);
		expect(timesTold("stopping")).to.equal(1);
		await together("POST", `/sessions/${id}/start`);
		expect((await sessionReaches(cluster.client(), id, "running", 60_000)).generation).to.equal(2);
		expect(cluster.platform.agents()).to.have.length(1);
	});

	it("archives once", async () => {
		await cluster.client().post(`/sessions/${id}/stop`);
		await sessionReaches(cluster.client(), id, "stopped", 60_000);
		const { rev } = await view();
		await together("POST", `/sessions/${id}/archive`);
		expect((await view()).rev - rev).to.equal(1);
	});
});
