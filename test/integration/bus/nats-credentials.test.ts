/**
 * The authentication of the bus at a real NATS server, and what is never sent in plain text.
 * Long: it starts a server for each way to log in.
 */
import { expect } from "chai";
import { connect, nkeys } from "nats";
import { ServiceBroker } from "moleculer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsOptions } from "#shared/bus/nats/nats-options.ts";
import { type BusConfig, ConfigError } from "#shared/config/config.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { NatsServer } from "../../support/bus/nats-server.ts";
import { makeCertificate } from "../../support/bus/test-certificates.ts";
import { testBusKey } from "../../support/bus/test-brokers.ts";
import { brokerOptions } from "../../../moleculer.config.ts";

describe("the bus shows NATS who it is (H9)", function () {
	this.timeout(90_000);
	let folder: string;
	let port: number;
	let nats: NatsServer;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-nats-"));
		port = await freePort();
	});
	beforeEach(() => {
		nats = new NatsServer(port);
	});
	afterEach(() => nats[Symbol.asyncDispose]());
	after(() => rmSync(folder, { recursive: true }));

	function file(name: string, content: string): string {
		const path = join(folder, name);
		writeFileSync(path, content);
		return path;
	}

	/** Resolves with whether processes with this configuration find each other. */
	async function expectBus(bus: Partial<BusConfig>): Promise<void> {
		const config: BusConfig = { url: `nats://127.0.0.1:${port}`, log_level: "fatal", ...bus };
		const nodes = ["a", "b"].map((label) => new ServiceBroker(brokerOptions(config, testBusKey, label)));
		try {
			// The processes start one after the other: the second finds the first at once, and not by its next heartbeat.
			for (const node of nodes) await node.start();
			await eventually(() => nodes.every(({ registry }) => registry.nodes.list({ onlyAvailable: true }).length === 2));
		} finally {
			await Promise.all(nodes.map((node) => node.stop()));
		}
	}

	async function expectRefused(options: Parameters<typeof connect>[0]): Promise<void> {
		const refused = await failureOf(connect({ servers: `localhost:${port}`, reconnect: false, ...options }));
		expect(refused).to.be.instanceOf(Error);
	}

	it("by a certificate over tls://, and with a password on top; without them nobody gets in", async () => {
		const authority = makeCertificate(folder, "authority");
		const server = makeCertificate(folder, "server", authority);
		const platform = makeCertificate(folder, "platform", authority);
		const stranger = makeCertificate(folder, "stranger");
		const tls = `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${authority.cert}", verify: true }`;
		const login = 'authorization { user: platform, password: "p@ss/word" }';
		await nats.startWith(["--config", file("tls.conf", `${tls}\n${login}`)]);
		const files = { ca_file: authority.cert, cert_file: platform.cert, key_file: platform.key };
		await expectBus({ url: `tls://localhost:${port}`, user: "platform", password: "p@ss/word", ...files });
		await expectBus({ url: `tls://platform:p%40ss%2Fword@localhost:${port}`, ...files });
		const login2 = { user: "platform", pass: "p@ss/word" };
		await expectRefused({ ...login2, tls: { caFile: authority.cert } });
		await expectRefused({ ...login2, tls: { caFile: authority.cert, certFile: stranger.cert, keyFile: stranger.key } });
		await expectRefused({ tls: { caFile: authority.cert, certFile: platform.cert, keyFile: platform.key } });
	});

	it("by a token, and by the seed of an NKey", async () => {
		await nats.startWith(["--auth", "a-token"]);
		await expectBus({ token: "a-token" });
		await expectRefused({ token: "another" });
		await nats.kill();

		const pair = nkeys.createUser();
		const seed = Buffer.from(pair.getSeed()).toString();
		const users = `authorization { users = [ { nkey: ${pair.getPublicKey()} } ] }`;
		await nats.startWith(["--config", file("nkey.conf", users)]);
		await expectBus({ credentials_file: file("seed.nk", `${seed}\n`) });
		await expectRefused({});
	});

	it("never to a server without TLS when the URL is tls://", async () => {
		await nats.start();
		const options = natsOptions({ url: `tls://127.0.0.1:${port}`, log_level: "fatal" });
		expect(String(await failureOf(connect({ ...options, reconnect: false, maxReconnectAttempts: 0 })))).to.match(
			/tls/i,
		);
	});

	it("never at another host because of a letter in a password, which is not repeated", () => {
		for (const word of ["se/cret", "se%cret", "se,cret", "12/se@cret", "12?cret", "12#cret"]) {
			const url = `nats://user:${word}@127.0.0.1:1`;
			expect(() => natsOptions({ url, log_level: "fatal" }), word)
				.to.throw(ConfigError, '"bus.url" has to name servers')
				.with.property("message")
				.that.does.not.include("cret");
		}
		const encoded = { url: "nats://user:se%2Fc%40ret@127.0.0.1:1,nats://[::1]:2/", log_level: "fatal" } as const;
		expect(natsOptions(encoded)).to.include({ user: "user", pass: "se/c@ret" });
	});

	it("never in plain text when a certificate is configured, and never without a configured file", () => {
		const bus = { url: "nats://127.0.0.1:1", log_level: "fatal" } as const;
		expect(() => natsOptions({ ...bus, ca_file: "/nonexistent" })).to.throw(ConfigError, "has to begin with tls://");
		expect(() => natsOptions({ ...bus, url: "tls://a:1,nats://b:1" })).to.throw(ConfigError, "tls://");
		const missing = { ...bus, url: "tls://127.0.0.1:1", ca_file: "/nonexistent" };
		expect(() => natsOptions(missing)).to.throw(ConfigError, 'Cannot read "/nonexistent"');
		expect(() => natsOptions({ ...bus, credentials_file: "/nonexistent" })).to.throw(ConfigError, "Cannot read");
	});
});
