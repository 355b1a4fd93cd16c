/** The sentences about a real NATS server that is away, or refuses a process: one for each change of the connection. */
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { NatsLink } from "#shared/bus/nats/nats-link.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { NatsServer, type NatsUser } from "../../support/bus/nats-server.ts";
import { testBusKey } from "../../support/bus/test-brokers.ts";

const own: NatsUser = { user: "atelier-core", password: "first-password" };

describe("NATS that is away or refuses", function () {
	this.timeout(60_000);
	let nats: NatsServer;
	let broker: ServiceBroker;
	let link: NatsLink;
	let log: string[];

	beforeEach(async () => {
		nats = new NatsServer(await freePort());
		log = [];
		const { user, password } = own;
		const options = brokerOptions({ url: nats.url, user, password, log_level: "fatal" }, testBusKey, "core");
		const kept = {
			newLogEntry: (type: string, args: readonly unknown[]) => void log.push(`${type}: ${args.join(" ")}`),
		};
		broker = new ServiceBroker({ ...options, middlewares: [...(options.middlewares ?? []), kept] });
		link = new NatsLink(broker);
	});
	afterEach(async () => {
		await broker.stop();
		await nats[Symbol.asyncDispose]();
	});

	/** Returns the lines that operators see with the default level. */
	const seen = () => log.filter((line) => /^(?:error|warn): /.test(line));

	it("is named once at a start with its address, and the process starts when it is there", async () => {
		const started = broker.start();
		await eventually(() => seen().length > 0);
		expect(String(await failureOf(link.check()))).to.include(`NATS at nats://127.0.0.1:${nats.port} cannot be reached`);
		await nats.start(own);
		await started;
		await eventually(() => link.check().then(() => true));
		expect(seen()).to.have.length(2);
		expect(seen()[0]).to.match(/cannot be reached: CONNECTION_REFUSED \(BUS__URL\) \(docs\/bus\.md\)$/);
		expect(seen()[1]).to.include("is reached again");
	});

	it("is named once when it is lost, and once when it is back", async () => {
		await nats.start(own);
		await broker.start();
		await nats.kill();
		await eventually(() => seen().some((line) => line.includes("cannot be reached")));
		expect(String(await failureOf(link.check()))).to.include(`127.0.0.1:${nats.port} cannot be reached`);
		await nats.start(own);
		await eventually(() => seen().some((line) => line.includes("is reached again")), { withinMs: 30_000 });
		await eventually(() => link.check().then(() => true));
		expect(seen().filter((line) => line.includes("NATS at"))).to.have.length(2);
	});

	it("is told with the user and its keys, and without the password, when it refuses", async () => {
		await nats.start({ user: own.user, password: "other-password" });
		// A start that is refused waits for ever; the end of the broker ends its attempts.
		void broker.start();
		await eventually(() => seen().length > 0);
		expect(seen().join()).to.include('refuses the user "atelier-core" or its password (BUS__USER, BUS__PASSWORD)');
		expect(seen().join()).to.not.include("first-password");
	});
});
