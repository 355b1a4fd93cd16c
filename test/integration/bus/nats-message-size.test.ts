/** A message within the bounds of the bus fits into a message of a real NATS server. */
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { defineContract } from "#shared/contracts/contract.ts";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import { call, implement } from "#shared/bus/service.ts";
import { RequestTooLargeError, ResultTooLargeError } from "#shared/base/errors.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { testBusKey } from "../../support/bus/test-brokers.ts";
import { brokerOptions } from "../../../moleculer.config.ts";

const text = { type: "string" } as const;
const echo = defineContract("echo", {
	text: { access: "public", summary: "The same", params: { text }, returns: text },
	json: { access: "public", summary: "As many quotes", params: { quotes: { type: "number" } }, returns: text },
});

describe("messages over NATS", () => {
	let nats: NatsServer;
	let near: ServiceBroker;
	let far: ServiceBroker;

	before(async () => {
		nats = await startNatsServer();
		const options = { url: nats.url, log_level: "fatal" } as const;
		[near, far] = ["near", "far"].map((label) => new ServiceBroker(brokerOptions(options, testBusKey, label))) as [
			ServiceBroker,
			ServiceBroker,
		];
		far.createService({
			name: echo.name,
			actions: implement(echo, {
				text: async ({ text: said }) => said,
				// Each of its quotes is `\\"` in JSON, and three characters more as a string in it.
				json: async ({ quotes }) => jsonText(JSON.stringify('"'.repeat(quotes))),
			}),
		});
		await Promise.all([near.start(), far.start()]);
		await near.waitForServices(echo.name, 20_000, 10);
	});
	after(async () => {
		await Promise.all([near.stop(), far.stop()]);
		await nats[Symbol.asyncDispose]();
	});

	it("carry the largest messages in both directions (C1)", async () => {
		const largest = "x".repeat(maxMessageBytes - '{"text":""}'.length);
		expect(await call(near, echo.actions.text, { text: largest })).to.equal(largest);
		const quotes = Math.floor((maxMessageBytes - 100) / 4);
		expect(await call(near, echo.actions.json, { quotes })).to.have.length(quotes);
	});

	it("refuse larger ones at once with a sentence (C1)", async () => {
		const begun = performance.now();
		const request = await failureOf(call(near, echo.actions.text, { text: '"'.repeat(600_000) }));
		expect(request).to.be.instanceOf(RequestTooLargeError);
		const result = await failureOf(call(near, echo.actions.json, { quotes: 300_000 }));
		expect(result).to.be.instanceOf(ResultTooLargeError);
		// The caller would learn nothing until the 8 s of a call are over if there was no bound.
		expect(performance.now() - begun).to.be.below(6_000);
	});
});
