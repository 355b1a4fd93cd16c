/**
 * A hostile agent under a budget of one dollar, with a real platform and a model that bills. It never spends more
 * than one call's price above the budget, and the books have at least what the provider bills.
 * Long: it makes some fifty attempts at a budget.
 */
import { expect } from "chai";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { costMicros } from "#shared/wire/models/token-counts.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { HostileAgent } from "../../support/agents/hostile-agent.ts";
import {
	anthropic,
	billedAsAsked,
	catalogue,
	chat,
	everywhere,
	otherModels,
	priceMicros,
	refusedCalls,
	slowStreams,
} from "../../support/agents/hostile-calls.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { untrueTales } from "../../support/agents/untrue-tales.ts";

const budget = 1_000_000;
describe("a hostile agent under a budget of one dollar (H7)", function () {
	this.timeout(60_000);
	let folder: string;
	let model: ModelServer;
	let platform: TestPlatform;
	let api: ApiClient;
	let pod: ApiClient;
	let id: string;
	let agent: HostileAgent;
	let ways = 0;
	let farthest = 0;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-hostile-"));
		model = await ModelServer.listen({ script: billedAsAsked });
		const file = join(folder, "models.yaml");
		writeFileSync(file, stringify(catalogue(model.endpoints)));
		platform = await startPlatform({
			config: { models: { file } },
			env: { SCRIPTED_KEY: model.key, ...sameDay() },
		});
		api = platform.client();
		id = await created("hostile");
		await begin();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function created(name: string): Promise<string> {
		const wanted = { name, model: "scripted-1", source: { type: "git", repo: "" }, budget: { limit: 1 } };
		return (await api.post<Session>("/sessions", wanted)).body.id;
	}

	/** The launch runs, and its agent turns hostile. */
	async function begin(): Promise<void> {
		const { generation } = await sessionReaches(api, id, "running");
		agent = await agentOf(id, generation);
		const token = openInstallationKey(platform.dataDir, "").podToken(id, generation);
		pod = platform.client({ authorization: `Bearer ${token}` });
	}

	function agentOf(session: string, generation = 1): Promise<HostileAgent> {
		const all = () => platform.sessionProcesses();
		const pids = () => all().filter((one) => one.session === session && one.generation === generation);
		return eventually(() => HostileAgent.of(pids().map(({ pid }) => pid)), { withinMs: 30_000, what: "an agent" });
	}

	async function session(): Promise<Session> {
		return (await api.get<Session>(`/sessions/${id}`)).body;
	}

	async function spent(): Promise<number> {
		return Math.round((await session()).budget.spent * 1e6);
	}

	const billsFrom = (first: number): number[] =>
		model.billed.calls.slice(first).map(({ counts }) => costMicros(counts, priceMicros));
	const sum = (bills: readonly number[]): number => bills.reduce((all, one) => all + one, 0);

	/** Sets a budget of a dollar above what is spent, lets the agent try, and compares the books with the bill. */
	async function tries(attempt: () => Promise<unknown>, { isExact = true, dearest = 0 } = {}): Promise<number> {
		const before = await spent();
		const first = model.billed.calls.length;
		await api.put(`/sessions/${id}`, { budget: { limit: (before + budget) / 1e6 } });
		await eventually(async () => !(await session()).budget.paused, { withinMs: 30_000, what: "it goes on" });
		await attempt();
		const settled = await eventually(
			async () => {
				const { budget: now } = await session();
				const booked = Math.round(now.spent * 1e6) - before;
				const billed = sum(billsFrom(first));
				const isIn = isExact ? booked === billed : booked >= billed && booked > 0;
				return isIn && now.reserved === 0 && { booked };
			},
			{ withinMs: 30_000, what: "everything is in the books, and nothing is held" },
		);
		const above = settled.booked - budget;
		farthest = Math.max(farthest, above);
		expect(above, "micro-dollars above the budget").to.be.at.most(Math.max(dearest, ...billsFrom(first)));
		ways++;
		return settled.booked;
	}

	describe("asks for options that are billed elsewhere, later or by other units", () => {
		for (const { what, call, status } of refusedCalls) {
			it(`is refused ${what}`, async () => {
				const before = model.requests.length;
				expect(await agent.call(call)).to.equal(status);
				expect(model.requests.length, "the provider hears nothing").to.equal(before);
				ways++;
			});
		}

		it("is refused an upgraded connection, and the key of another session", async () => {
			const upgrade = {
				connection: "Upgrade",
				upgrade: "websocket",
				"sec-websocket-key": "x",
				"sec-websocket-version": "13",
			};
			const before = model.requests.length;
			expect(await agent.raw(agent.request("/openai-responses/realtime", {}, upgrade))).to.match(/^HTTP\/1\.1 404/);
			const other = await created("other");
			await sessionReaches(api, other, "running");
			const { token } = await agentOf(other);
			await api.post(`/sessions/${other}/stop`);
			expect(await agent.call({ body: anthropic("OUT=10"), headers: { authorization: `Bearer ${token}` } })).to.equal(
				401,
			);
			expect(model.requests.length).to.equal(before);
			ways += 2;
		});
	});

	describe("sends false reports", () => {
		it("with the key of its pod: negative and huge amounts, other launches, other budgets", async () => {
			const before = await session();
			for (const [method, path, body] of untrueTales(id)) {
				const { status } = await pod.request(method, path, { body });
				expect(status, `${method} ${path}`).to.be.within(400, 499);
				ways++;
			}
			expect((await session()).budget).to.deep.equal(before.budget);
		});

		it("through its owner: reports of users cost nobody money (H5)", async () => {
			const tale = { tokens: 1, provider: "cloud", model: "nobody-knows", cost: 1_000 };
			expect((await api.post(`/sessions/${id}/usage`, { ...tale, cost: 1_000_000 })).status).to.equal(422);
			expect((await api.post(`/sessions/${id}/usage`, tale)).status).to.equal(201);
			expect((await session()).budget).to.include({ spent: 0, paused: false });
			ways++;
		});
	});

	describe("calls its model", () => {
		it("with duplicate members, of which the provider may read the other one", async () => {
			const body = `{"model":"unpriced","max_tokens":60000,"messages":[],"model":"scripted-1","max_tokens":5}`;
			await tries(() => agent.call({ body }));
			expect(model.requests.at(-1)?.body).to.include({ model: "scripted-1", max_tokens: 5 });
		});

		it("by other names of models, none of which is cheaper", async () => {
			const before = model.requests.length;
			const booked = await tries(async () => {
				for (const call of otherModels) expect(await agent.call(call)).to.equal(200);
			});
			expect(model.requests.slice(before).map((request) => request.model)).to.deep.equal(Array(4).fill("scripted-1"));
			expect(booked).to.equal(4 * 10_500);
			ways += 3;
		});

		it("with tools that its provider runs", async () => {
			const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 100 }];
			await tries(() => agent.call({ body: anthropic("OUT=10", { tools }) }));
			expect(model.requests.at(-1)?.body).not.to.have.property("tools");
		});

		for (const [wire, body] of slowStreams) {
			it(`and disconnects before the usage is reported: ${wire}`, async () => {
				const query = wire === "gemini" ? "?alt=sse" : "";
				expect(await tries(() => agent.call({ wire, query, body, hangsUp: true }))).to.equal(110_000);
			});
		}

		it("and disconnects from a silent provider, ten times at once", async () => {
			const body = chat("STALL", { stream: true, max_tokens: 500 });
			const all = () =>
				Promise.all(Array.from({ length: 10 }, () => agent.call({ wire: "openai-chat", body, hangsUp: true })));
			expect(await tries(all, { isExact: false, dearest: 30_000 })).to.be.at.least(10 * 25_000);
		});

		it("of a provider that never reports usage", async () => {
			const body = chat("SILENT", { max_tokens: 2_000 });
			expect(await tries(() => agent.call({ wire: "openai-chat", body }), { isExact: false })).to.be.at.least(100_000);
		});

		it("32 times at once", async () => {
			const call = () => agent.call({ body: anthropic("OUT=2000") });
			const booked = await tries(() => Promise.all(Array.from({ length: 32 }, call)));
			expect(booked, "as many as there is room for").to.be.within(budget / 2, budget + 110_000);
		});

		it("32 times at once, each of which would cost nearly everything", async () => {
			const call = () => agent.call({ body: anthropic("OUT=16000", { max_tokens: 16_000 }) });
			await tries(() => Promise.all(Array.from({ length: 32 }, call)));
		});

		it("over all wires and two names of models at once", async () => {
			await tries(() => Promise.all([...everywhere, ...everywhere, ...everywhere].map((one) => agent.call(one))));
		});

		it("with a request of a megabyte, six times at once", async () => {
			const body = anthropic(`OUT=10 ${"x".repeat(1_000_000)}`);
			await tries(() => Promise.all(Array.from({ length: 6 }, () => agent.call({ body }))));
		});

		it("with references to pictures and files, six times at once", async () => {
			const image = { type: "image", source: { type: "url", url: "https://example.com/large.png" } };
			const file = { type: "document", source: { type: "file", file_id: "f" } };
			const messages = [{ role: "user", content: [image, file, { type: "text", text: "OUT=9000" }] }];
			const body = anthropic("", { messages, max_tokens: 9_000 });
			await tries(() => Promise.all(Array.from({ length: 6 }, () => agent.call({ body }))));
		});

		it("four times in one write over one connection, and in pieces", async () => {
			const one = agent.request("/anthropic/v1/messages", anthropic("OUT=2000"));
			const last = agent.request("/anthropic/v1/messages", anthropic("OUT=2000"), { connection: "close" });
			expect(await tries(() => agent.raw(one + one + one + last))).to.equal(4 * 110_000);
			const piece = JSON.stringify(anthropic("OUT=10"));
			const pieces = `${piece.length.toString(16)}\r\n${piece}\r\n0\r\n\r\n`;
			const head = agent.request("/anthropic/v1/messages", {}, { "transfer-encoding": "chunked", connection: "close" });
			const chunked = head.replace(/content-length: \d+\r\n/, "").replace(/\{\}$/, pieces);
			expect(await tries(() => agent.raw(chunked))).to.equal(10_500);
			ways++;
		});

		it("repeatedly without a bound until it is refused; at most one call passes the budget", async () => {
			const body = chat("OUT=40000");
			await tries(async () => {
				while ((await agent.call({ wire: "openai-chat", body })) === 200);
			});
			expect(await agent.call({ wire: "openai-chat", body })).to.equal(402);
		});
	});

	describe("stops and kills its session agent", () => {
		const inFlight = chat("STALL", { stream: true, max_tokens: 2_000 });

		function agentPid(): number {
			return platform.agents().find((one) => one.session === id)?.pid ?? expect.fail("no session agent");
		}

		/** Kills the session agent in the middle of a call, changes its folder, and starts the session again. */
		async function killedInACall(wire: "openai-chat" | "anthropic", meanwhile: () => void): Promise<void> {
			const before = model.requests.length;
			const calling = agent.call({
				wire,
				body: wire === "anthropic" ? anthropic("STALL", { stream: true }) : inFlight,
			});
			await eventually(() => model.requests.length > before);
			process.kill(agentPid(), "SIGKILL");
			await calling;
			await eventually(async () => (await session()).status === "failed", { withinMs: 30_000 });
			meanwhile();
			await api.post(`/sessions/${id}/start`);
			await begin();
		}

		it("with SIGSTOP", async () => {
			const pid = agentPid();
			await tries(async () => {
				process.kill(pid, "SIGSTOP");
				const calling = agent.call({ body: anthropic("OUT=10") });
				process.kill(pid, "SIGCONT");
				expect(await calling).to.equal(200);
			});
		});

		it("in the middle of a call, which the next launch books; the earlier key is invalid", async () => {
			const { token } = agent;
			const booked = await tries(() => killedInACall("openai-chat", () => {}), { isExact: false, dearest: 110_000 });
			expect(booked).to.be.at.least(100_000);
			expect(await agent.call({ body: anthropic("OUT=10"), headers: { authorization: `Bearer ${token}` } })).to.equal(
				401,
			);
			ways++;
		});

		it("and deletes its spool: only the calls that were under way are lost", async () => {
			const before = await spent();
			const first = model.billed.calls.length;
			await api.put(`/sessions/${id}`, { budget: { limit: (before + budget) / 1e6 } });
			await agent.call({ body: anthropic("OUT=2000") });
			await eventually(async () => (await spent()) === before + 110_000, { what: "what has ended is told soon" });
			await killedInACall("anthropic", () => {
				const own = join(platform.dataDir, "sessions", id);
				const files = readdirSync(own, { recursive: true, encoding: "utf8" });
				const spools = files.filter((name) => name.endsWith("usage.jsonl"));
				expect(spools).to.have.length(1);
				for (const file of spools) rmSync(join(own, file));
			});
			const lost = sum(billsFrom(first)) - ((await spent()) - before);
			console.log(`      the exception: $${lost / 1e6} of $${sum(billsFrom(first)) / 1e6} are lost with the spool`);
			expect(lost, "what was under way").to.be.at.most(11_000);
			ways++;
		});
	});

	describe("altogether", () => {
		it("has tried at least 40 ways", () => {
			console.log(`      ${ways} ways; at most $${farthest / 1e6} above the budget`);
			expect(ways).to.be.at.least(40);
			expect(model.problems).to.deep.equal([]);
		});
	});
});
