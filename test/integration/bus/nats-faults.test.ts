/**
 * The failures that callers see when NATS or the other process fails, with the settings of the platform (reliability 2.1
 * to 2.3).
 * Long: it waits until servers and processes that do not answer are given up.
 */
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { setTimeout as sleep } from "node:timers/promises";
import { defineContract } from "#shared/contracts/contract.ts";
import { implement } from "#shared/bus/service.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { alice, callAs, testBusKey } from "../../support/bus/test-brokers.ts";

const number = { type: "number" } as const;
const callMs = 500;
const desk = defineContract("desk", {
	add: { summary: "Counts one more", params: { number }, returns: number, timeout: callMs },
	held: { summary: "Answers when it is told to", params: {}, returns: number, timeout: 2 * callMs },
});

describe("faults of NATS and of processes", function () {
	this.timeout(60_000);
	let nats: NatsServer;
	let near: ServiceBroker;
	let far: ServiceBroker;
	/** The numbers that took effect, oldest first. */
	const added: number[] = [];
	let release: () => void;
	let heldCalls: number;

	beforeEach(async () => {
		added.length = 0;
		heldCalls = 0;
		nats = await startNatsServer();
		[near, far] = [brokerOf("near"), brokerOf("far")] as const;
		far.createService({
			name: desk.name,
			actions: implement(desk, {
				add: async ({ number: one }) => added.push(one),
				held: () =>
					new Promise((resolve) => {
						heldCalls++;
						release = () => resolve(7);
					}),
			}),
		});
		await Promise.all([near.start(), far.start()]);
		await near.waitForServices([desk.name], 20_000, 10);
	});
	afterEach(async () => {
		nats.thaw();
		await Promise.all([near.stop(), far.stop()]);
		await nats[Symbol.asyncDispose]();
	});

	function brokerOf(label: string): ServiceBroker {
		return new ServiceBroker(brokerOptions({ url: nats.url, log_level: "fatal" }, testBusKey, label));
	}

	function add(value: number): Promise<number> {
		const meta = { deadline: Date.now() + callMs };
		return callAs(near, { principal: alice, meta }, desk.actions.add, { number: value });
	}

	/** Adds numbers until one is acknowledged, and resolves to it. */
	async function addAgain(from: number): Promise<number> {
		let value = from;
		await eventually(() => add(value++).then(() => true), { withinMs: 30_000, what: "calls work again" });
		return value - 1;
	}

	it("a server that was killed: calls fail or are lost, none takes effect twice, and they work again by themselves", async () => {
		expect(await add(1)).to.equal(1);
		await nats.kill();
		const during = Array.from({ length: 5 }, (_, index) => add(100 + index).catch(() => undefined));
		await sleep(1_000);
		await nats.start();
		const last = await addAgain(2);
		await Promise.all(during);
		expect(added).to.include.members([1, last]);
		expect(added).to.have.length(new Set(added).size);
	});

	it("a server that was frozen: requests whose callers have given up take no effect after the thaw", async () => {
		expect(await add(1)).to.equal(1);
		await nats.freeze();
		const late = [2, 3, 4].map((value) => add(value).catch(() => undefined));
		// The clocks of two machines may differ by 2 s, so a request is late 2 s after its deadline.
		await sleep(3_000);
		nats.thaw();
		await addAgain(5);
		await Promise.all(late);
		expect(added.filter((one) => one < 5)).to.deep.equal([1]);
	});

	it("a process that ends in order answers what is under way first", async () => {
		const answer = callAs(near, alice, desk.actions.held, {});
		await eventually(() => heldCalls === 1);
		const stopped = far.stop();
		release();
		expect(await answer).to.equal(7);
		await stopped;
	});

	it("a process that starts again has another name, so that nobody waits for answers to the former one", async () => {
		const answer = failureOf(callAs(near, alice, desk.actions.held, {}));
		await eventually(() => heldCalls === 1);
		const again = brokerOf("far");
		expect(again.nodeID)
			.to.match(/^far\./)
			.and.to.not.equal(far.nodeID);
		// It disappears without a word, and the new one does not answer in its place.
		await far.transit?.tx.disconnect();
		expect(String(await answer)).to.match(/timed out|Timeout/i);
		// A lost request is not kept: 2,000 of them would end all further calls, and the end of the process would wait for them.
		expect(near.transit?.pendingRequests.size).to.equal(0);
	});
});
