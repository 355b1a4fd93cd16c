/**
 * One of two processes that answer is frozen (SIGSTOP), over a real NATS server: nobody waits for it but those whose calls must
 * not be repeated.
 */
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repeatKeyed } from "#services/gateway/keyed-repetition.ts";
import type { Action } from "#shared/contracts/contract.ts";
import { isSilentNode } from "#shared/bus/silent-nodes.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { answering } from "../../support/bus/answering-process.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { alice, callAs, testBusKey } from "../../support/bus/test-brokers.ts";
import { eventually } from "../../support/eventually.ts";

const program = join(import.meta.dirname, "../../support/bus/answering-process.ts");

/** A process is silent after at most 6 s, and a call that it has goes elsewhere half a second later; thrice of that, in milliseconds. */
const elsewhereMs = 19_500;

type Asked = Action<object, unknown, number>;

describe("a frozen process", function () {
	this.timeout(60_000);
	let nats: NatsServer;
	let near: ServiceBroker;
	let far: ChildProcess[];

	before(async () => {
		nats = await startNatsServer();
		far = [1, 2].map(() => spawn(process.execPath, [program, nats.url], { stdio: "ignore" }));
		near = new ServiceBroker(brokerOptions({ url: nats.url, log_level: "fatal" }, testBusKey, "near"));
		await near.start();
		const endpoints = () => near.registry.actions.get(answering.actions.read.name)?.endpoints.length ?? 0;
		await eventually(() => endpoints() === far.length, { withinMs: 30_000, what: "both processes answer" });
	});
	after(async () => {
		for (const process of far) process.kill("SIGKILL");
		await Promise.all(far.map(async (process) => process.exitCode ?? process.signalCode ?? once(process, "exit")));
		await near.stop();
		await nats[Symbol.asyncDispose]();
	});

	const ask = (action: Asked, key?: string) => {
		const meta = key === undefined ? {} : { idempotency_key: key };
		return repeatKeyed(meta, () => callAs(near, { principal: alice, meta }, action, {}));
	};

	it("costs a read and a keyed request less than their time limit, and later ones nothing", async () => {
		const [frozen, other] = far;
		const { read, write } = answering.actions;
		frozen?.kill("SIGSTOP");
		const began = performance.now();
		const first = await Promise.all([1, 2, 3, 4].flatMap((n) => [ask(read), ask(write, `key-${n}`)]));
		expect(new Set(first)).to.deep.equal(new Set([other?.pid]));
		expect(performance.now() - began).to.be.below(elsewhereMs);
		for (let n = 0; n < 10; n++) expect(await ask(write), "a call without a key").to.equal(other?.pid);
	});

	it("is called again when it goes on, and also while it is silent when there is no other one", async () => {
		const [frozen, other] = far;
		const { read } = answering.actions;
		frozen?.kill("SIGCONT");
		await eventually(async () => (await ask(read)) === frozen?.pid, { withinMs: 30_000, what: "it is called again" });
		other?.kill("SIGKILL");
		frozen?.kill("SIGSTOP");
		const waiting = ask(read);
		const nodes = () => near.registry.nodes.list({}).filter(({ id }) => id !== near.nodeID);
		const areSilent = () => nodes().every(({ id }) => isSilentNode(near, id));
		await eventually(areSilent, { withinMs: 30_000, what: "both are silent" });
		frozen?.kill("SIGCONT");
		expect(await waiting).to.equal(frozen?.pid);
	});
});
