/** A gateway in front of the probe service, for each suite that sends it requests of its own making. */
import { expect } from "chai";
import type { Platform } from "#host/platform.ts";
import { ProbeService, type Seen } from "../bus/probe-service.ts";
import { type RawAnswer, rawRequest, sendRaw } from "../clients/raw-http.ts";
import { type GatewayOptions, startGateway, type TestGateway } from "./start-gateway.ts";

export const thingId = "6f1b2c3d-0000-4000-8000-000000000001";
/** The path of a thing of the probe service, which can be read and written. */
export const thing = `/api/v1/svc/things/${thingId}`;
export const json = { "Content-Type": "application/json" };
/** A body that the probe service accepts. */
export const good = JSON.stringify({ name: "ab" });

/** Starts the gateway before the tests of a suite and ends it after them; each test begins with nothing seen. */
export class ProbeGateway {
	readonly service = new ProbeService();
	#started: TestGateway | undefined;

	constructor(gateway: GatewayOptions["gateway"] = {}) {
		before(async () => {
			this.#started = await startGateway({
				contracts: this.service.contracts,
				services: [this.service.schema],
				gateway,
			});
		});
		after(() => this.#started?.stop());
		beforeEach(() => void (this.service.seen.length = 0));
	}

	get port(): number {
		return this.#running.port;
	}

	get host(): string {
		return this.#running.host;
	}

	get platform(): Platform {
		return this.#running.platform;
	}

	get #running(): TestGateway {
		return this.#started ?? expect.fail("the gateway is started before the tests");
	}

	send(line: string, headers: Record<string, string> = {}, body = ""): Promise<RawAnswer> {
		return sendRaw(this.port, rawRequest(line, { Host: this.host, ...headers }, body));
	}

	/** Resolves to what the service has seen of a request that succeeds. */
	async seenBy(line: string, headers: Record<string, string> = {}, body = ""): Promise<Seen> {
		const answer = await this.send(line, headers, body);
		expect(answer.status, answer.text).to.be.within(200, 299);
		return this.service.seen.at(-1) ?? expect.fail("nothing reached the service");
	}

	/** Expects a failure that the service has not seen. */
	async expectDetail(answer: RawAnswer, status: number, detail: string): Promise<void> {
		expect([answer.status, JSON.parse(answer.text)]).to.deep.equal([status, { detail }]);
		expect(this.service.seen).to.deep.equal([]);
	}

	/** Expects that a good request succeeds, whatever was refused before it. */
	async expectGood(): Promise<void> {
		const { status, text } = await this.send(`POST ${thing}`, json, good);
		expect(status, text).to.equal(201);
	}
}
