/**
 * Every route of the contracts, asked with requests that nobody should send, before the real services. The seed makes
 * them repeatable: `HOSTILE_SEED=7 npx mocha test/integration/hostile-input.test.ts`.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { compose as composeBlueprints } from "#services/blueprints/compose.ts";
import { type ActionRoute, actionRoutes } from "#services/gateway/action-route.ts";
import { compose as composeIdentity } from "#services/identity/compose.ts";
import { compose as composeSessions } from "#services/sessions/compose.ts";
import { compose as composeSettings } from "#services/settings/compose.ts";
import { compose as composeStream } from "#services/stream/compose.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import type { Part, Platform } from "#shared/platform.ts";
import { projectRoot } from "#shared/project-root.ts";
import { answerFaults } from "../support/answer-faults.ts";
import { type Aim, hostileRequests, kinds, seeded } from "../support/hostile-requests.ts";
import { rawRequest, sendRaw } from "../support/raw-http.ts";
import { startGateway, type TestGateway } from "../support/start-gateway.ts";

const perRoute = 119;
const atOnce = 8;
const seed = Number(process.env["HOSTILE_SEED"] ?? 20_260);

const routes = actionRoutes(publicContracts);

describe("hostile input", () => {
	const canary = `canary-${randomUUID()}`;
	const statuses = new Map<string, Map<number, number>>();
	let folder: string;
	let parts: Part[];
	let gateway: TestGateway;
	let secrets: string[];
	let heapBefore: number;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-hostile-"));
		gateway = await startGateway({
			contracts: publicContracts,
			services: [],
			prepare: async (platform) => {
				parts = await composed({ ...platform, config: { ...platform.config, data_dir: folder } });
				return {
					services: parts.flatMap(({ services }) => services),
					async drain() {
						for (const part of parts) await part.drain?.();
					},
				};
			},
		});
		await create({ initial_prompt: canary, system_prompt: canary, name: "other" }, "Bearer token-of-carol");
		secrets = [canary, folder, projectRoot, "token-of-carol", Buffer.alloc(32, 7).toString("base64")];
		heapBefore = heapUsed();
	});
	after(async () => {
		await gateway.stop();
		for (const part of parts) await part.close?.();
		await rm(folder, { recursive: true });
		printTable();
	});

	function composed(platform: Platform): Promise<Part[]> {
		return Promise.all(
			[composeSessions, composeBlueprints, composeIdentity, composeSettings, composeStream].map((compose) =>
				compose(platform),
			),
		);
	}

	/** A good request: it succeeds, or the test fails. */
	async function create(more: object = {}, authorization = "Bearer token-of-alice"): Promise<Session> {
		const headers = { Host: gateway.host, Authorization: authorization, "Content-Type": "application/json" };
		const body = JSON.stringify({ name: "a", ...more });
		const answer = await sendRaw(gateway.port, rawRequest("POST /api/v1/svc/sessions", headers, body));
		expect(answer.status, answer.text).to.equal(201);
		return JSON.parse(answer.text) as Session;
	}

	function aimAt(route: ActionRoute, { id, generation }: Session): Aim {
		const { access } = route.action;
		const pod = access === "pod" || access === "session";
		const token = pod ? gateway.platform.key.podToken(id, generation) : "token-of-alice";
		return { route, sessionId: id, host: gateway.host, authorization: `Bearer ${token}` };
	}

	for (const [number, route] of routes.entries()) {
		it(`${route.method} ${route.path}: ${perRoute} requests`, async function () {
			this.timeout(20_000);
			const requests = hostileRequests(aimAt(route, await create()), perRoute, seeded(seed + number));
			const faults: string[] = [];
			const worker = async () => {
				for (const { kind, bytes } of requests) {
					const answer = await sendRaw(gateway.port, bytes);
					count(kind, answer.status);
					const found = answerFaults(route, answer, secrets);
					const shown = `${bytes.subarray(0, 300).toString()} → ${answer.text.slice(0, 300)}`;
					if (found.length > 0) faults.push(`${kind}: ${found.join(", ")}: ${shown}`);
				}
			};
			await Promise.all(Array.from({ length: atOnce }, worker));
			expect(faults, `seed ${seed}`).to.deep.equal([]);
			await create();
		});
	}

	it("leaves the memory as it was", () => {
		const growth = heapUsed() - heapBefore;
		console.log(`      heap ${(growth / 1_048_576).toFixed(1)} MB more after ${routes.length * perRoute} requests`);
		expect(growth).to.be.below(32 * 1_048_576);
	});

	it("is seen: the judge knows what no answer may be", () => {
		const route = routes.find(({ action }) => action.name === "sessions.get") ?? expect.fail("no such route");
		const answer = (status: number, text: string) => answerFaults(route, { status, headers: {}, text }, secrets);
		const refusal = (detail: string) => JSON.stringify({ detail });
		expect(answer(404, refusal("Not Found"))).to.deep.equal([]);
		expect(answer(500, refusal("Internal Server Error"))).to.deep.equal(["status 500"]);
		expect(answer(404, refusal(`No ${canary}`))).to.deep.equal(["a secret"]);
		expect(answer(404, refusal(`ENOENT ${folder}/store`))).to.deep.equal(["a secret"]);
		expect(answer(422, refusal("Error\n    at f (a.ts:1:1)"))).to.have.length(1);
		expect(answer(422, '{"detail":[{"msg":1}]}')).to.have.length(1);
		expect(answer(200, "{}")).to.have.length(1);
		expect(answer(204, "")).to.have.length(1);
	});

	function count(kind: string, status: number): void {
		const counts = statuses.get(kind) ?? new Map<number, number>();
		statuses.set(kind, counts.set(status, (counts.get(status) ?? 0) + 1));
	}

	function printTable(): void {
		const rows = kinds.map((kind) => {
			const counts = [...(statuses.get(kind) ?? [])].toSorted(([a], [b]) => a - b);
			const cases = counts.reduce((sum, [, times]) => sum + times, 0);
			return `${kind.padEnd(16)} ${String(cases).padStart(5)}  ${counts.map(([status, times]) => `${status}×${times}`).join(" ")}`;
		});
		console.log(["", `seed ${seed}`, "class            cases  statuses", ...rows, ""].join("\n"));
	}
});

/** Bytes in use after a collection. */
function heapUsed(): number {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	collect();
	return process.memoryUsage().heapUsed;
}
