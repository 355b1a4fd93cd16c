/** Eve reads and writes everything on a real NATS server, and has no key: whatever she sends has no effect (H9). */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { connect, type Msg, type NatsConnection } from "nats";
import { ServiceBroker } from "moleculer";
import { defineContract, defineEvent } from "#shared/contracts/contract.ts";
import { call, implement, on, publish } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { alice, callAs, job, testBusKey } from "../../support/bus/test-brokers.ts";

const text = { type: "string" } as const;
const vault = defineContract("vault", {
	put: { access: "system", summary: "Keeps a text", params: { text }, returns: text },
	held: { summary: "Answers when it is told to", params: {}, returns: text },
});
const opened = defineEvent("vault.opened", { text });

describe("somebody who listens on the bus", () => {
	let nats: NatsServer;
	let near: ServiceBroker;
	let far: ServiceBroker;
	let eve: NatsConnection;
	const overheard: Msg[] = [];
	/** The calls and events that took effect, oldest first. */
	const kept: string[] = [];
	let release: () => void;

	before(async () => {
		nats = await startNatsServer();
		eve = await connect({ servers: nats.url });
		eve.subscribe("MOL-atelier.>", { callback: (_error, message) => void overheard.push(message) });
		await eve.flush();
		[near, far] = ["near", "far"].map(
			(label) => new ServiceBroker(brokerOptions({ url: nats.url, log_level: "fatal" }, testBusKey, label)),
		) as [ServiceBroker, ServiceBroker];
		far.createService({
			name: vault.name,
			actions: implement(vault, {
				put: async ({ text: sent }) => (kept.push(sent), "kept"),
				held: () => new Promise((resolve) => (release = () => resolve("the truth"))),
			}),
			events: on(opened, ({ text: sent }) => void kept.push(`event ${sent}`)),
		});
		await Promise.all([near.start(), far.start()]);
		await near.waitForServices([vault.name], 20_000, 10);
	});

	after(async () => {
		await eve?.close();
		await Promise.all([near?.stop(), far?.stop()]);
		await nats?.[Symbol.asyncDispose]();
	});

	beforeEach(() => {
		kept.length = 0;
		overheard.length = 0;
	});

	function put(sent: string): Promise<string> {
		return callAs(near, job, vault.actions.put, { text: sent });
	}

	/** Everything that eve has sent before was received when this is answered, because it went the same way earlier. */
	async function settled(): Promise<void> {
		await eve.flush();
		await put("settled");
		kept.splice(kept.indexOf("settled"), 1);
	}

	async function heard(command: string): Promise<Msg> {
		return eventually(() => overheard.find(({ subject }) => subject.split(".")[1] === command));
	}

	function forge(command: string, broker: ServiceBroker, sender: string, payload: object): void {
		const target = command === "REQ" || command === "RES" || command === "EVENT" ? `.${broker.nodeID}` : "";
		const head = Buffer.alloc(56);
		head.writeBigUInt64BE(BigInt(Date.now()), 32);
		const data = Buffer.concat([head, Buffer.from(JSON.stringify({ ver: "5", sender, ...payload }))]);
		eve.publish(`MOL-atelier.${command}${target}`, withFreshNumber(data));
	}

	it("cannot repeat a call", async () => {
		await put("once");
		const { subject, data } = await heard("REQ");
		for (let i = 0; i < 3; i++) eve.publish(subject, data);
		await settled();
		expect(kept).to.deep.equal(["once"]);
	});

	it("cannot use a call for other parameters, another action or somebody else's name", async () => {
		await put("AAAA");
		const { subject, data } = await heard("REQ");
		const packet = Buffer.from(data).toString("latin1");
		for (const [from, to] of [
			["AAAA", "BBBB"],
			["vault.put", "vault.off"],
			['"pod', '"bod'],
			["test", "best"],
		] as const) {
			eve.publish(subject, withFreshNumber(Buffer.from(packet.replace(from, to), "latin1")));
		}
		// The packet is a call of a principal with fewer rights, with the head of one that has them.
		await failureOf(callAs(near, alice, vault.actions.put, { text: "hers" }));
		const hers = overheard.filter(({ subject: to }) => to === subject).at(-1);
		const head = Buffer.from(data).subarray(0, 56);
		eve.publish(subject, withFreshNumber(Buffer.concat([head, Buffer.from(hers?.data ?? []).subarray(56)])));
		await settled();
		expect(kept).to.deep.equal(["AAAA"]);
	});

	it("cannot call in the name of a job of the platform", async () => {
		const request = { id: "1", action: "vault.put", params: { text: "hers" }, level: 1, timeout: 0 };
		forge("REQ", far, near.nodeID, { ...request, meta: { principal: job } });
		await settled();
		expect(kept).to.deep.equal([]);
	});

	it("cannot answer in the place of a service", async () => {
		const answer = call(near, vault.actions.held, {}, { meta: { principal: vouch(alice) } });
		await heard("REQ");
		await eventually(() => release !== undefined);
		for (const id of near.transit?.pendingRequests.keys() ?? []) {
			forge("RES", near, far.nodeID, { id, success: true, data: "a lie", meta: {} });
		}
		await settled();
		release();
		expect(await answer).to.equal("the truth");
	});

	it("can neither publish events nor repeat one", async () => {
		await publish(near, opened, { text: "true" });
		const { subject, data } = await heard("EVENT");
		eve.publish(subject, data);
		forge("EVENT", far, near.nodeID, { id: "2", event: opened.name, data: { text: "false" }, broadcast: true });
		await settled();
		expect(kept).to.deep.equal(["event true"]);
	});

	it("can neither announce the end of a process nor offer its services", async () => {
		const offer = { name: vault.name, actions: { "vault.put": { name: "vault.put" } } };
		forge("INFO", near, "eve", { services: [offer], instanceID: "eve", ipList: [], client: {}, config: {}, seq: 1 });
		forge("DISCONNECT", near, far.nodeID, {});
		forge("HEARTBEAT", near, "eve", { cpu: 0 });
		await settled();
		expect(near.registry.nodes.list({ onlyAvailable: true }).map(({ id }) => id)).to.have.members([
			near.nodeID,
			far.nodeID,
		]);
		for (let i = 0; i < 4; i++) expect(await put(`${i}`)).to.equal("kept");
		expect(kept).to.have.length(4);
	});
});

/** The packet seems to come from an unknown sender, so that it is not refused as a repetition. */
function withFreshNumber(packet: Buffer): Buffer {
	packet.set(randomBytes(8), 40);
	packet.writeBigUInt64BE(1n, 48);
	return packet;
}
