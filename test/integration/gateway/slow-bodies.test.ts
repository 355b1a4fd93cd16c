/** Bodies that come late keep nobody else out, and their senders are asked again who they are. */
import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { ProbeService } from "../../support/bus/probe-service.ts";
import { rawRequest, RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import { presence } from "../../support/identity/leaving-person.ts";
import { good, json, thing } from "../../support/platform/probe-gateway.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { eventually } from "../../support/eventually.ts";

describe("gateway: slow bodies", () => {
	const service = new ProbeService();
	const over = { contracts: service.contracts, services: [service.schema] };
	let gateway: TestGateway;
	let connections: RawConnection[] = [];

	afterEach(async () => {
		for (const connection of connections) connection.close();
		connections = [];
		await gateway.stop();
	});

	/** Sends the head of a request and one byte of its body. */
	async function begin(headers: Record<string, string> = {}): Promise<RawConnection> {
		const connection = await RawConnection.open(gateway.port);
		connections.push(connection);
		const whole = rawRequest(`POST ${thing}`, { Host: gateway.host, ...json, ...headers }, good);
		connection.write(whole.slice(0, whole.length - good.length + 1));
		return connection;
	}

	it("take no places of their tenant", async () => {
		gateway = await startGateway({ ...over, limits: { in_flight_per_user: 4, in_flight_per_tenant: 4 } });
		const alice = { Authorization: "Bearer token-of-alice" };
		for (let n = 0; n < 4; n++) await begin(alice);
		await eventually(() => gateway.gateway.underWay === 4);
		const fifth = await (await begin(alice)).answer();
		expect([fifth.status, fifth.headers["x-error-code"]]).to.deep.equal([429, "REQUESTS_IN_FLIGHT"]);
		expect(fifth.text).to.include("4 requests wait for their bodies already");
		for (const token of ["token-of-alice", "token-of-bob"]) {
			const headers = { Host: gateway.host, Authorization: `Bearer ${token}` };
			const { status } = await sendRaw(gateway.port, rawRequest(`GET ${thing}`, headers));
			expect(status, token).to.equal(token.endsWith("bob") ? 200 : 429);
		}
		for (const connection of connections.slice(0, 4)) {
			connection.write(good.slice(1));
			expect((await connection.answer()).status).to.equal(201);
		}
	});

	it("are refused when their sender has lost access since the head came", async () => {
		const adapter = "test/support/identity/leaving-person.ts#LeavingPerson";
		gateway = await startGateway({ ...over, identity: { adapter, kwargs: {} } });
		const at = { ms: 0 };
		const [wall, monotonic] = [Date.now(), performance.now()];
		const turnBack = turnClock({ now: () => wall + at.ms, monotonic: () => monotonic + at.ms });
		try {
			for (const [waited, expected] of [
				[0, 201],
				[2_500, 401],
			] as const) {
				presence.isThere = true;
				const seen = service.seen.length;
				const connection = await begin();
				await eventually(() => gateway.gateway.underWay === 1);
				presence.isThere = false;
				at.ms += waited;
				connection.write(good.slice(1));
				expect((await connection.answer()).status).to.equal(expected);
				expect(service.seen.length - seen).to.equal(expected === 201 ? 1 : 0);
			}
		} finally {
			turnBack();
			presence.isThere = true;
		}
	});
});
