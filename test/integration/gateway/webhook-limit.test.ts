/** Messages with wrong signatures keep those of the providers from nobody. */
import { once } from "node:events";
import { request } from "node:http";
import { expect } from "chai";
import { implement } from "#shared/bus/service.ts";
import { webhooks } from "#shared/contracts/git/webhooks.ts";
import { UnauthorizedError } from "#shared/base/errors.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";

describe("gateway: webhooks", () => {
	let gateway: TestGateway;
	/** The messages that the service has got. */
	let seen = 0;

	before(async () => {
		const actions = implement(webhooks, {
			receive: async ({ body }) => {
				seen++;
				if (!body.includes("right")) throw new UnauthorizedError("The signature is wrong", "WEBHOOK_REFUSED");
			},
		});
		gateway = await startGateway({ contracts: [webhooks], services: [{ name: webhooks.name, actions }] });
	});

	after(() => gateway.stop());

	/** Sends a message from an address of this machine; resolves with the status. */
	async function send(word: string, localAddress: string, more: Record<string, string> = {}): Promise<number> {
		const headers = { host: gateway.host, "content-type": "application/json", ...more };
		const options = { host: "127.0.0.1", port: gateway.port, method: "POST", headers, localAddress };
		const asked = request({ ...options, path: "/api/v1/svc/webhooks/github" }).end(JSON.stringify({ word }));
		const [response] = await once(asked, "response");
		response.resume();
		return response.statusCode;
	}

	it("with a wrong signature take nothing from those with a right one, and are refused unread beyond a number", async () => {
		const statuses: number[] = [];
		for (let n = 0; n < 150; n++) statuses.push(await send("wrong", "127.0.0.2"));
		expect(statuses.slice(0, 50)).to.deep.equal(Array.from({ length: 50 }, () => 401));
		expect(statuses).to.include(429);
		expect(statuses.filter((status) => status === 401)).to.have.length(seen);
		for (let n = 0; n < 30; n++) expect(await send("right", "127.0.0.1")).to.equal(204);
	});

	it("with a wrong signature by a proxy take nothing from others by it (X10)", async () => {
		const by = (address: string) => ({ "x-forwarded-for": `6.6.6.6, ${address}` });
		let status = 0;
		for (let n = 0; n < 150 && status !== 429; n++) status = await send("wrong", "127.0.0.3", by("192.0.2.1"));
		expect(status).to.equal(429);
		expect(await send("right", "127.0.0.3", by("192.0.2.2"))).to.equal(204);
		expect(await send("right", "127.0.0.3")).to.equal(204);
	});
});
