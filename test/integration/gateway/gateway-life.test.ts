/** The start and the end of the gateway. */
import { expect } from "chai";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ConfigError } from "#shared/config/config.ts";
import { StartError } from "#shared/base/start-error.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { openGateway } from "#services/gateway/compose.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { ProbeService } from "../../support/bus/probe-service.ts";
import { rawRequest, RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import { startGateway, testPlatform } from "../../support/platform/start-gateway.ts";

describe("gateway: beginning", () => {
	for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.evil.example"]) {
		it(`refuses to listen on "${host}" when callers are trusted by their connection`, async () => {
			const error = await failureOf(openGateway(testPlatform({ gateway: { host } })));
			expect(error).to.be.instanceOf(ConfigError);
			expect(String(error)).to.include(`"gateway.host" cannot be "${host}"`).and.to.include("DevIdentity");
			expect(String(error)).to.include('use the identity "services/gateway/identity-providers/token.ts#TokenIdentity"');
		});
	}

	for (const [host, url] of [
		["localhost", /^http:\/\/localhost:\d+$/],
		["::1", /^http:\/\/\[::1\]:\d+$/],
		["127.0.0.2", /^http:\/\/127\.0\.0\.2:\d+$/],
	] as const) {
		it(`listens on "${host}"`, async () => {
			const gateway = await openGateway(testPlatform({ gateway: { host } }));
			try {
				const address = gateway.url(host);
				expect(address).to.match(url);
				expect((await fetch(`${address}/health`)).status).to.equal(200);
			} finally {
				gateway.close();
			}
		});
	}

	it("ends with a sentence when another program has the port", async () => {
		const other = createServer().listen(0, "127.0.0.1");
		await once(other, "listening");
		const { port } = other.address() as AddressInfo;
		const error = await failureOf(openGateway(testPlatform({ gateway: { port } })));
		other.close();
		expect(error).to.be.instanceOf(StartError);
		expect(String(error)).to.include(`"127.0.0.1" port ${port}: another program listens there`);
	});

	it("answers 503 until the bus is there, and is not ready", async () => {
		const gateway = await openGateway(testPlatform({}), new ProbeService().contracts);
		try {
			const url = gateway.url("127.0.0.1");
			expect((await fetch(`${url}/health`)).status).to.equal(200);
			expect((await fetch(`${url}/ready`)).status).to.equal(503);
			const answer = await fetch(`${url}/api/v1/svc/things`);
			expect([answer.status, await answer.text()]).to.deep.equal([503, '{"detail":"The platform is starting"}']);
		} finally {
			gateway.close();
		}
	});

	it("refuses invalid people in the configuration", async () => {
		for (const users of [[{ id: "a" }], [{ token: "svcs_x", id: "a" }], [{ token: "a b", id: "a" }], "alice"]) {
			const error = await failureOf(openGateway(testPlatform({ identity: { kwargs: { users } } })));
			expect(error).to.be.instanceOf(ConfigError);
			expect(String(error)).to.include("identity.kwargs.users");
		}
	});
});

describe("gateway: readiness", () => {
	it("includes every check of the process, and names those that fail or do not answer", async () => {
		const service = new ProbeService();
		const gateway = await startGateway({ contracts: service.contracts, services: [service.schema] });
		const checks = gateway.platform.readiness;
		const ready = () => sendRaw(gateway.port, rawRequest("GET /ready", { Host: gateway.host }));
		try {
			expect([(await ready()).status, (await ready()).text]).to.deep.equal([200, '{"status":"ready"}']);
			checks.set("store", () => Promise.reject(new UnavailableError("it cannot be reached")));
			checks.set("moon", () => new Promise(() => {}));
			const answer = await ready();
			expect(answer.status).to.equal(503);
			expect(JSON.parse(answer.text)).to.deep.equal({
				detail: "Not ready: store: it cannot be reached; moon: no answer within 2000 ms",
			});
			checks.clear();
			expect((await ready()).status).to.equal(200);
		} finally {
			await gateway.stop();
		}
	});
});

describe("gateway: end", () => {
	it("answers the requests that are under way, accepts no new ones, and is not ready", async () => {
		const service = new ProbeService();
		const gateway = await startGateway({ contracts: service.contracts, services: [service.schema] });
		const headers = { Host: gateway.host };
		const busy = await RawConnection.open(gateway.port);
		const late = await RawConnection.open(gateway.port);
		const idle = await RawConnection.open(gateway.port);
		idle.write(rawRequest("GET /health", headers));
		await idle.answer();
		// This request is incomplete, and was sent before the other one: it was read when the service sees the other.
		late.write("GET /ready HTTP/1.1\r\n");
		const held = Promise.withResolvers<void>();
		service.held = held.promise;
		busy.write(rawRequest("GET /api/v1/svc/things/6f1b2c3d-0000-4000-8000-000000000001", headers));
		await eventually(() => service.seen.length === 1);
		const drained = gateway.gateway.drain();
		await idle.ended();
		late.write(`Host: ${gateway.host}\r\n\r\n`);
		const unready = await late.answer();
		expect(unready.text).to.include("the process is ending");
		held.resolve();
		const answer = await busy.answer();
		expect([answer.status, answer.headers["connection"]]).to.deep.equal([200, "close"]);
		await drained;
		await Promise.all([busy.ended(), late.ended()]);
		expect(await failureOf(RawConnection.open(gateway.port))).to.include({ code: "ECONNREFUSED" });
		await gateway.stop();
	});
});
