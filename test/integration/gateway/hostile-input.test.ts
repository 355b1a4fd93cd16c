/**
 * Every route of the contracts with malicious requests to the real services. The seed makes them repeatable:
 * `HOSTILE_SEED=7 npx mocha test/integration/gateway/hostile-input.test.ts`.
 * Night: it sends thousands of wrong requests.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type ActionRoute, actionRoutes } from "#services/gateway/routes/action-route.ts";
import { serviceFolders } from "#host/service-folders.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Part } from "#host/platform.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { answerFaults, givenAway } from "../../support/hostile/answer-faults.ts";
import {
	type Aim,
	type HostileRequest,
	hostileRequests,
	kinds,
	seeded,
} from "../../support/hostile/hostile-requests.ts";
import { type RawAnswer, rawRequest, sendRaw } from "../../support/clients/raw-http.ts";
import { composeParts } from "../../support/platform/compose-parts.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { listenOnLoopback } from "../../support/machine/loopback-server.ts";

/** The number of requests is six of every class. */
const perRoute = 6 * kinds.length;
const atOnce = 8;
const seed = Number(process.env["HOSTILE_SEED"] ?? 20_260);

/** All services but the gateway, which is the test's own. */
const folders = serviceFolders.filter((name) => name !== "gateway");

const routes = actionRoutes(publicContracts);

describe("hostile input", () => {
	const canary = `canary-${randomUUID()}`;
	const seen = new Map<string, SeenOfKind>();
	const controls: string[] = [];
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
				parts = await composeParts({ ...platform, config: { ...platform.config, data_dir: folder } }, folders);
				return {
					// There are no pods: the states of sessions without one are enough here.
					services: parts.flatMap(({ services }) => services).filter(({ name }) => name !== "pod-manager"),
					async drain() {
						for (const part of parts) await part.drain?.();
					},
				};
			},
		});
		await create({ initial_prompt: canary, system_prompt: canary, name: "other" }, "Bearer token-of-carol");
		secrets = [canary, folder, projectRoot, homedir(), process.execPath, "token-of-carol"];
		secrets.push(...["base64", "base64url", "hex"].map((form) => Buffer.alloc(32, 7).toString(form as BufferEncoding)));
		heapBefore = heapUsed();
	});
	after(async () => {
		await gateway.stop();
		for (const part of parts) await part.close?.();
		await rm(folder, { recursive: true });
		printTable();
	});

	/** Sends a good request, which must succeed. */
	async function create(more: object = {}, authorization = "Bearer token-of-alice"): Promise<Session> {
		const headers = { Host: gateway.host, Authorization: authorization, "Content-Type": "application/json" };
		const body = JSON.stringify({ name: "a", ...more });
		const answer = await sendRaw(gateway.port, rawRequest("POST /api/v1/svc/sessions", headers, body));
		expect(answer.status, answer.text).to.equal(201);
		return JSON.parse(answer.text) as Session;
	}

	function isServed({ action: { name, produces } }: ActionRoute): boolean {
		const { broker, platform } = gateway;
		return produces === "text/event-stream"
			? platform.rawHandlers.has(name)
			: broker.registry.actions.isAvailable(name);
	}

	function aimAt(route: ActionRoute, { id, generation }: Session): Aim {
		const { access } = route.action;
		const pod = access === "pod" || access === "session";
		const person = access === "admin" ? "token-of-carol" : "token-of-alice";
		const token = pod ? gateway.platform.key.podToken(id, generation) : person;
		return { route, sessionId: id, host: gateway.host, authorization: `Bearer ${token}` };
	}

	for (const [number, route] of routes.entries()) {
		it(`${route.method} ${route.path}: ${perRoute} requests, each followed by a good one`, async function () {
			this.timeout(30_000);
			expect(isServed(route), "a service is missing here").to.equal(true);
			const { id } = await create();
			const requests = hostileRequests(aimAt(route, await create()), perRoute, seeded(seed + number));
			const faults = await ask(gateway.port, route, requests, {
				judged: count,
				followedBy: () => expectGood(id),
			});
			expect(faults, `seed ${seed}`).to.deep.equal([]);
		});
	}

	it("is detected: with a server that answers every request wrongly, every answer is a fault", async () => {
		const route = routes.find(({ action }) => action.name === "sessions.get") ?? expect.fail("no such route");
		for (const { what, status, body, fault } of badAnswers(canary, folder)) {
			const server = createServer((_request, response) => {
				const headers = { "Content-Type": "application/json", "Content-Length": String(body.length) };
				response.writeHead(status, { ...headers, Connection: "close" }).end(body);
			});
			await listenOnLoopback(server);
			const { port } = server.address() as AddressInfo;
			// Requests that Node refuses by itself do not reach the server.
			const readable = [...hostileRequests(aimAt(route, await create()), perRoute, seeded(seed))].filter(
				({ kind }) => !["framing", "method", "overlong path", "host and origin", "header"].includes(kind),
			);
			const faults = await ask(port, route, readable);
			server.close();
			expect(faults, what).to.have.length(readable.length);
			for (const text of faults) expect(text, what).to.include(fault);
			controls.push(`${what}: ${faults.length} of ${readable.length} seen`);
		}
	});

	it("leaves no memory occupied", () => {
		const growth = heapUsed() - heapBefore;
		console.log(`      heap ${(growth / 1_048_576).toFixed(1)} MB more after ${routes.length * perRoute} requests`);
		expect(growth).to.be.below(32 * 1_048_576);
	});

	it("does not change the other person's session", async () => {
		const headers = { Host: gateway.host, Authorization: "Bearer token-of-carol" };
		const { text } = await sendRaw(gateway.port, rawRequest("GET /api/v1/svc/sessions", headers));
		expect((JSON.parse(text) as Session[]).map(({ name, status }) => [name, status])).to.deep.equal([
			["other", "starting"],
		]);
	});

	async function expectGood(id: string): Promise<void> {
		const headers = { Host: gateway.host, Authorization: "Bearer token-of-alice" };
		const { status, text } = await sendRaw(gateway.port, rawRequest(`GET /api/v1/svc/sessions/${id}`, headers));
		expect(status, text).to.equal(200);
	}

	/** Resolves with the faults of the answers. */
	async function ask(
		port: number,
		route: ActionRoute,
		requests: Iterable<HostileRequest>,
		{
			judged,
			followedBy,
		}: { judged?: (kind: string, answer: RawAnswer) => void; followedBy?: () => Promise<void> } = {},
	): Promise<string[]> {
		const faults: string[] = [];
		const waiting = requests[Symbol.iterator]();
		const worker = async () => {
			for (let next = waiting.next(); !next.done; next = waiting.next()) {
				const { kind, bytes } = next.value;
				const answer = await sendRaw(port, bytes);
				judged?.(kind, answer);
				const found = answerFaults(route, answer, secrets);
				const shown = `${bytes.subarray(0, 300).toString()} → ${answer.text.slice(0, 300)}`;
				if (found.length > 0) faults.push(`${kind}: ${found.join(", ")}: ${shown}`);
				await followedBy?.();
			}
		};
		await Promise.all(Array.from({ length: atOnce }, worker));
		return faults;
	}

	function count(kind: string, answer: RawAnswer): void {
		const { statuses, leaks } = seen.get(kind) ?? { statuses: new Map<number, number>(), leaks: 0 };
		statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
		seen.set(kind, { statuses, leaks: leaks + (givenAway(answer, secrets).length > 0 ? 1 : 0) });
	}

	function printTable(): void {
		const rows = [...kinds, "all"].map((kind) => {
			const { statuses, leaks } = kind === "all" ? total(seen) : (seen.get(kind) ?? total(new Map()));
			const counts = [...statuses].toSorted(([a], [b]) => a - b);
			const cases = counts.reduce((sum, [, times]) => sum + times, 0);
			const shown = counts.map(([status, times]) => `${status}×${times}`).join(" ");
			return `${kind.padEnd(16)} | ${String(cases).padStart(5)} | ${shown.padEnd(80)} | ${leaks}`;
		});
		const head = `${"class".padEnd(16)} | cases | ${"statuses seen".padEnd(80)} | answers with path, stack or canary`;
		const tried = controls.map((text) => `control: a server that answers ${text}`);
		console.log(["", `seed ${seed}`, head, ...rows, ...tried, ""].join("\n"));
	}
});

interface SeenOfKind {
	readonly statuses: Map<number, number>;
	/** The answers that revealed something. */
	readonly leaks: number;
}

function total(seen: ReadonlyMap<string, SeenOfKind>): SeenOfKind {
	const statuses = new Map<number, number>();
	let leaks = 0;
	for (const one of seen.values()) {
		leaks += one.leaks;
		for (const [status, times] of one.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
	}
	return { statuses, leaks };
}

/** Forbidden answers, with the judge's sentence on each. */
function badAnswers(canary: string, folder: string) {
	const refusal = (detail: unknown) => JSON.stringify({ detail });
	return [
		{ what: "500", status: 500, body: refusal("Internal Server Error"), fault: "status 500" },
		{ what: "with a canary", status: 404, body: refusal(`No ${canary}`), fault: "a secret" },
		{ what: "with a path", status: 404, body: refusal(`ENOENT ${folder}/store`), fault: "a secret" },
		{ what: "with a stack", status: 422, body: refusal("Error\n    at f (/a.ts:1:1)"), fault: "innards" },
		{ what: "with the store's words", status: 409, body: refusal("SQLITE_BUSY: locked"), fault: "innards" },
		{ what: "in another shape", status: 422, body: '{"detail":[{"msg":1}]}', fault: "no schema" },
		{ what: "with less than promised", status: 200, body: "{}", fault: "no schema" },
		{ what: "with another success", status: 204, body: "", fault: "no schema" },
	];
}

/** The bytes in use after a garbage collection. */
function heapUsed(): number {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	collect();
	return process.memoryUsage().heapUsed;
}
