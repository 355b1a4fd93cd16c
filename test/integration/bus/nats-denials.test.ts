/** A process to which NATS denies a permission: it says so, and is not silently deaf (reliability 2.2). */
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsLink } from "#shared/bus/nats/nats-link.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { NatsServer } from "../../support/bus/nats-server.ts";
import { testBusKey } from "../../support/bus/test-brokers.ts";

describe("a permission that NATS denies", function () {
	this.timeout(60_000);
	let folder: string;
	let nats: NatsServer;
	let broker: ServiceBroker;
	let link: NatsLink;
	let log: string[];

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-denied-"));
		nats = new NatsServer(await freePort());
	});
	afterEach(async () => {
		await broker.stop();
		await nats[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	/** Writes the rights of the one user. */
	function allow(subscribe: readonly string[], publish: readonly string[]): string {
		const file = join(folder, "nats.conf");
		const rights = JSON.stringify({ subscribe: { allow: subscribe }, publish: { allow: publish } });
		writeFileSync(file, `authorization { users = [ { user: one, password: secret, permissions: ${rights} } ] }`);
		return file;
	}

	async function startWith(config: string): Promise<void> {
		await nats.startWith(["--config", config]);
		const url = nats.urlFor({ user: "one", password: "secret" });
		log = [];
		const options = brokerOptions({ url, log_level: "fatal" }, testBusKey, "one");
		const kept = {
			newLogEntry: (type: string, args: readonly unknown[]) => void log.push(`${type}: ${args.join(" ")}`),
		};
		broker = new ServiceBroker({ ...options, middlewares: [...(options.middlewares ?? []), kept] });
		await broker.start();
		link = new NatsLink(broker);
	}

	it("to receive its requests keeps a process from being ready until it is given", async () => {
		await startWith(allow(["MOL-atelier.INFO"], [">"]));
		expect(String(await failureOf(link.check())))
			.to.include("MOL-atelier.REQ.one.>")
			.and.to.not.include(".INFO,");
		expect(log.join("\n")).to.include('NATS does not let this process receive "MOL-atelier.REQ.one.>"');
		allow([">"], [">"]);
		nats.reload();
		await eventually(() => link.check().then(() => true));
		const { nodeID } = broker;
		const other = new ServiceBroker(
			brokerOptions({ url: nats.urlFor({ user: "one", password: "secret" }), log_level: "fatal" }, testBusKey, "other"),
		);
		await other.start();
		try {
			broker.createService({ name: "late", actions: { heard: () => "heard" } });
			await other.waitForServices("late", 20_000, 20);
			expect(await other.call("late.heard", {}, { nodeID })).to.equal("heard");
		} finally {
			await other.stop();
		}
	});

	it("to send is named in the log once for each permission", async () => {
		await startWith(allow([">"], ["MOL-atelier.INFO", "MOL-atelier.DISCOVER", "MOL-atelier.HEARTBEAT"]));
		for (const at of ["1", "2"]) await broker.transit?.tx.send(`MOL-atelier.REQ.two.${at}`, Buffer.of(1), {});
		await link.check();
		await eventually(() => log.some((line) => line.includes('send "MOL-atelier.REQ.two.>"')));
		expect(log.filter((line) => line.includes("REQ.two"))).to.have.length(1);
	});
});
