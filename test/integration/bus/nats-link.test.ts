/** The reports on the connection to a real NATS server. */
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { NatsLink } from "#shared/bus/nats/nats-link.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { testBusKey } from "../../support/bus/test-brokers.ts";

describe("NatsLink", () => {
	let nats: NatsServer;
	let broker: ServiceBroker;
	let link: NatsLink;
	let losses: unknown[];

	beforeEach(async () => {
		nats = await startNatsServer();
		broker = new ServiceBroker(brokerOptions({ url: nats.url, log_level: "fatal" }, testBusKey, "link"));
		await broker.start();
		link = new NatsLink(broker);
		losses = [];
		link.onClosed((cause) => losses.push(cause));
	});

	afterEach(async () => {
		// The broker closes the connection to a server that answers, also after a failure.
		nats.thaw();
		await broker.stop();
		await nats[Symbol.asyncDispose]();
	});

	it("fails while the server is down, and works afterwards", async () => {
		await eventually(() => link.check().then(() => true));
		await nats.kill();
		expect(await failureOf(link.check())).to.be.instanceOf(Error);
		await nats.start();
		await eventually(() => link.check().then(() => true));
		expect(losses).to.deep.equal([]);
	});

	it("fails within about a second while the server is frozen", async () => {
		await nats.freeze();
		const begun = performance.now();
		expect(String(await failureOf(link.check()))).to.include("does not answer");
		// The client itself would notice after 10 s at the earliest.
		expect(performance.now() - begun).to.be.below(8_000);
		nats.thaw();
		await eventually(() => link.check().then(() => true));
	});

	it("reports that the client has closed permanently", async () => {
		await broker.transit?.tx.disconnect();
		await eventually(() => losses.length === 1);
		expect(await failureOf(link.check())).to.be.instanceOf(Error);
	});
});
