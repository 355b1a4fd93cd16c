/** The steps of a request through the gateway, in their order. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { actionRoutes } from "#services/gateway/routes/action-route.ts";
import { Admissions } from "#services/gateway/callers/admissions.ts";
import { Authenticator } from "#services/gateway/callers/authenticate.ts";
import { DevIdentity } from "#services/gateway/identity-providers/dev.ts";
import { BrowserMarks } from "#services/gateway/callers/browser-marks.ts";
import { RequestChain } from "#services/gateway/request-chain.ts";
import { RouteTable } from "#services/gateway/routes/route-table.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { probe } from "../../support/bus/probe-service.ts";
import { rawRequest, RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import { good, json, ProbeGateway, thing, thingId as id } from "../../support/platform/probe-gateway.ts";
import { RequestLimits } from "#services/gateway/callers/request-limits.ts";
import { limitsOf } from "#shared/config/limits.ts";
import { noTokens } from "../../support/platform/no-tokens.ts";
import { startNodes } from "../../support/bus/test-brokers.ts";

const far = "https://pages.example";

const unknownPath =
	'No operation has this path: operations are below "/api/v1/svc", and GET /openapi.json lists them all';
const notTaken = (method: string, allow: string) => `This path does not take the method ${method}; it takes ${allow}`;

describe("gateway: the chain", () => {
	const gateway = new ProbeGateway({
		aliases: ["old"],
		allowed_hosts: ["Atelier.Example"],
		allowed_origins: [far],
	});
	const { service } = gateway;
	// The next good request succeeds after any refusal.
	afterEach(() => gateway.expectGood());

	describe("Host and Origin", () => {
		for (const host of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"]) {
			it(`accepts the address it listens on: ${host}`, async () => {
				expect((await gateway.send(`GET ${thing}`, { Host: `${host}:${gateway.port}` })).status).to.equal(200);
			});
		}

		it("accepts a configured name with any port", async () => {
			for (const host of ["atelier.example", "ATELIER.example:443"]) {
				expect((await gateway.send(`GET ${thing}`, { Host: host })).status).to.equal(200);
			}
		});

		for (const host of [
			"evil.example",
			"127.0.0.1",
			"127.0.0.1:1",
			"localhost.evil.example:8080",
			"atelier.example.evil",
			"evil.example@127.0.0.1",
		]) {
			it(`refuses "${host}" before anything is parsed`, async () => {
				const answer = await gateway.send(`POST ${thing}`, { Host: host, ...json }, good);
				await gateway.expectDetail(
					answer,
					403,
					`Host "${host}" is not allowed; whoever runs the platform can name it in gateway.allowed_hosts`,
				);
				const nonsense = await gateway
					.send("BREW /?", { Host: host, "Content-Type": "text/plain" }, "x")
					.catch(() => undefined);
				expect(nonsense?.status ?? 400).to.be.oneOf([400, 403]);
			});
		}

		it("answers the health check of config/haproxy and of supervisors, whatever name they ask by", async () => {
			const settings = readFileSync(join(projectRoot, "config/haproxy/haproxy.cfg"), "utf8");
			const [, uri, Host = ""] = / uri (\S+) .* hdr host (\S+)$/m.exec(settings) ?? [];
			expect((await gateway.send(`GET ${uri}`, { Host })).status).to.equal(200);
			for (const host of ["10.1.2.3:8080", "gateway-1", `localhost:${gateway.port + 1}`]) {
				expect((await gateway.send("GET /ready", { Host: host })).status, host).to.equal(200);
				expect((await gateway.send("GET /health", { Host: host })).status, host).to.equal(200);
			}
			const page = { Host: "gateway-1", Origin: "http://evil.example" };
			expect((await gateway.send("GET /ready", page)).status).to.equal(403);
			for (const path of ["/openapi.json", "/ready/", "/ready?x"])
				expect((await gateway.send(`GET ${path}`, { Host: "gateway-1" })).status, path).to.equal(403);
		});

		it("refuses a request of HTTP/1.0 without a Host", async () => {
			const answer = await sendRaw(gateway.port, `GET ${thing} HTTP/1.0\r\n\r\n`);
			await gateway.expectDetail(
				answer,
				403,
				'Host "" is not allowed; whoever runs the platform can name it in gateway.allowed_hosts',
			);
		});

		for (const origin of [
			"http://evil.example",
			"null",
			"https://pages.example.evil",
			"https://pages.exampl",
			"http://pages.example",
			"https://PAGES.example",
			"file://",
		]) {
			it(`refuses the origin ${origin}`, async () => {
				const answer = await gateway.send(`POST ${thing}`, { Origin: origin, ...json }, good);
				await gateway.expectDetail(
					answer,
					403,
					`Origin "${origin}" is not allowed; whoever runs the platform can name it in gateway.allowed_origins`,
				);
				expect(answer.headers).to.not.have.property("access-control-allow-origin");
			});
		}

		it("accepts its own origin, and lets browsers of other allowed origins read the answer", async () => {
			const own = await gateway.send(`GET ${thing}`, { Origin: `http://${gateway.host}` });
			expect([own.status, own.headers["access-control-allow-origin"]]).to.deep.equal([200, undefined]);
			const page = await gateway.send(`GET ${thing}`, { Origin: far });
			expect([page.status, page.headers["access-control-allow-origin"]]).to.deep.equal([200, far]);
			expect(page.headers["vary"]).to.equal("Origin");
			const preflight = await gateway.send(`OPTIONS ${thing}`, { Origin: far, "Access-Control-Request-Method": "PUT" });
			expect([preflight.status, preflight.headers["access-control-allow-origin"]]).to.deep.equal([204, far]);
			expect(preflight.headers["access-control-allow-headers"]).to.include("Authorization");
		});

		it("are a needed check: without it the same requests change something", async () => {
			const nodes = await startNodes(1, [service.schema]);
			const chain = new RequestChain({
				guard: { check: () => undefined },
				routes: new RouteTable(actionRoutes([probe]), ["/api/v1/svc"]),
				authenticator: new Authenticator({
					identity: new DevIdentity({}),
					key: gateway.platform.key,
					tokens: noTokens,
					admissions: new Admissions(() => nodes.near),
				}),
				limits: new RequestLimits(limitsOf(gateway.platform.config, true)),
				watch: { add: () => () => {} },
				marks: new BrowserMarks(false),
				rawHandlers: new Map(),
				metrics: { answered() {} },
				bus: () => nodes.near,
				report: () => {},
			});
			const open = createServer((request, response) => void chain.handle(request, response)).listen(0, "127.0.0.1");
			try {
				await once(open, "listening");
				const { port } = open.address() as AddressInfo;
				const page = { Host: `127.0.0.1:${port}`, Origin: "http://evil.example" };
				for (const headers of [{ Host: "evil.example" }, page]) {
					const answer = await sendRaw(port, rawRequest(`POST ${thing}`, { ...headers, ...json }, good));
					expect(answer.status).to.equal(201);
				}
				expect(service.seen).to.have.length(2);
			} finally {
				open.close();
				open.closeAllConnections();
				await nodes.stop();
			}
		});
	});

	describe("routes", () => {
		it("answers under every product name, and absolute paths as they are", async () => {
			for (const path of [thing, `/api/v1/old/things/${id}`, "/open"]) {
				expect((await gateway.send(`GET ${path}`)).status, path).to.equal(200);
			}
		});

		it("sends a browser that asks for / to the page of the API, and tells others where the API is", async () => {
			const Accept = "text/html,application/xhtml+xml,*/*;q=0.8";
			const browser = await gateway.send("GET /?a=b", { Accept });
			expect([browser.status, browser.headers["location"]]).to.deep.equal([302, "/docs"]);
			for (const headers of [{}, { Accept: "*/*" }, { Accept: "application/json" }]) {
				const { status, text } = await gateway.send("GET /", headers);
				expect([status, JSON.parse(text)]).to.deep.equal([
					200,
					{ name: "Atelier", api: "/api/v1/svc", openapi: "/openapi.json", docs: "/docs" },
				]);
			}
			await gateway.expectDetail(await gateway.send("POST /", json, "{}"), 405, notTaken("POST", "GET, HEAD"));
		});

		for (const path of [
			"//",
			"/nope",
			"/API/v1/svc/things",
			"/api/v1/svc/Things",
			"/api/v1/svc//things",
			`//api/v1/svc/things/${id}`,
			"/api/v1/svc/open",
			"/api/v1/other/things",
			"/api/v1/svc/../svc/things",
			"/api/v1/svc/things/..%2f..%2fetc%2fpasswd",
			"/api/v1/svc/things/%00",
			"/api/v1/svc/things/a%5Cb",
			"/api/v1/svc/things/%zz",
			"/api/v1/svc/%74hings",
			"/api/v1/svc/things/%2E%2e",
			"/api/v1/svc/things#x",
			"/api/v1/svc/things/%E0%A4%A",
			`/api/v1/svc/things/${"a".repeat(5_000)}`,
			"/api/v1/svc/nope/",
			"//evil.example/",
			"/probe/hidden",
			"/probe.hidden",
			"/api/v1/svc/probe/hidden",
			"/api/v1/svc/jobs",
			"/~node/options",
			"/api/list-aliases",
			"*",
			"http://127.0.0.1/api/v1/svc/things",
		]) {
			it(`answers 404 at ${path.slice(0, 60)}`, async () => {
				await gateway.expectDetail(await gateway.send(`GET ${path}`), 404, unknownPath);
			});
		}

		it("exposes no job of the platform by any method", async () => {
			await gateway.expectDetail(await gateway.send("POST /api/v1/svc/jobs", json, "{}"), 404, unknownPath);
		});

		it("answers a wrong method with the allowed ones", async () => {
			for (const [path, allow] of [
				[thing, "GET, HEAD, POST, PUT, DELETE"],
				["/health", "GET, HEAD"],
			] as const) {
				for (const method of ["PATCH", "OPTIONS", "TRACE", "PROPFIND"]) {
					const answer = await gateway.send(`${method} ${path}`);
					await gateway.expectDetail(answer, 405, notTaken(method, allow));
					expect(answer.headers["allow"]).to.equal(allow);
				}
			}
		});

		it("sends the slash form to the bare form, whatever the method", async () => {
			const answer = await gateway.send(`POST ${thing}/?a=b`, json, good);
			expect(answer.headers["location"]).to.equal(`${thing}?a=b`);
			const words = "Paths have no slash at their end; the header Location has this one without it";
			await gateway.expectDetail(answer, 307, words);
			expect(service.seen).to.deep.equal([]);
		});

		it("answers HEAD like GET, without the body", async () => {
			const connection = await RawConnection.open(gateway.port);
			connection.write(rawRequest("HEAD /health", { Host: gateway.host, Connection: "close" }));
			const chunks: Buffer[] = [];
			for await (const chunk of connection.socket) chunks.push(chunk);
			const text = Buffer.concat(chunks).toString();
			expect(text)
				.to.match(/^HTTP\/1.1 200 /)
				.and.to.match(/content-length: 20\r\n/i);
			expect(text.endsWith("\r\n\r\n")).to.equal(true);
		});
	});

	describe("request id and idempotency key", () => {
		it("gives every request an id, and takes the client's id only if it is harmless", async () => {
			for (const [given, taken] of [
				["abc-DEF_9", true],
				["a".repeat(64), true],
				["a".repeat(65), false],
				["a b", false],
				["a".repeat(8_000), false],
				["<script>", false],
			] as const) {
				const answer = await gateway.send(`GET ${thing}`, { "X-Request-ID": given });
				const back = answer.headers["x-request-id"];
				expect(back === given, given.slice(0, 70)).to.equal(taken);
				expect(back).to.match(/^[\w-]{1,64}$/);
				expect(service.seen.at(-1)?.meta.request_id).to.equal(back);
			}
			expect((await gateway.send("GET /nope", { "X-Request-ID": "mine" })).headers["x-request-id"]).to.equal("mine");
		});

		it("passes the key of a command on, and refuses an invalid one", async () => {
			const { meta } = await gateway.seenBy(`POST ${thing}`, { ...json, "Idempotency-Key": "k-1" }, good);
			expect(meta.idempotency_key).to.equal("k-1");
			service.seen.length = 0;
			for (const key of ["", "a b", "x".repeat(65), "a;b"]) {
				const answer = await gateway.send(`POST ${thing}`, { ...json, "Idempotency-Key": key }, good);
				expect(answer.status).to.equal(422);
				expect(JSON.parse(answer.text).detail[0].loc).to.deep.equal(["header", "Idempotency-Key"]);
			}
			expect(service.seen).to.deep.equal([]);
		});

		it("passes on how long the client waits for the answer", async () => {
			const before = Date.now();
			const { meta } = await gateway.seenBy(`GET ${thing}`);
			// Milliseconds are cut off more than once on the way.
			expect(meta.deadline).to.be.within(before + 7_990, Date.now() + 8_000);
		});
	});

	describe("answers", () => {
		it("carry the headers that restrict browsers", async () => {
			for (const path of ["/health", "/nope", thing]) {
				const { headers } = await gateway.send(`GET ${path}`);
				expect(headers).to.include({
					"content-type": "application/json",
					"x-content-type-options": "nosniff",
					"cache-control": "no-store",
				});
			}
		});

		it("have the contract's status, and no body where there is no result", async () => {
			expect((await gateway.send(`PUT ${thing}`, json, good)).status).to.equal(201);
			const removed = await gateway.send(`DELETE ${thing}`);
			expect([removed.status, removed.text]).to.deep.equal([204, ""]);
			expect(removed.headers).to.not.have.property("content-length");
		});

		it("of a page are its items, and where the next one is", async () => {
			const first = await gateway.send("GET /api/v1/svc/things?limit=2&x=%3E%22");
			expect(first.text).to.equal("[1,2]");
			expect(first.headers["link"]).to.equal('</api/v1/svc/things?limit=2&x=%3E%22&cursor=b>; rel="next"');
			const [, next] = /<([^>]+)>/.exec(first.headers["link"] ?? "") ?? [];
			const second = await gateway.send(`GET ${next}`);
			expect([second.text, second.headers["link"]]).to.deep.equal(["[3]", undefined]);
		});
	});
});
