/** The breakers in front of another process. */
import { expect } from "chai";
import type { ServiceBroker } from "moleculer";
import { defineContract } from "#shared/contracts/contract.ts";
import { implement } from "#shared/bus/service.ts";
import { InvalidParametersError, NotFoundError, UnavailableError } from "#shared/base/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { alice, callAs, type Nodes, startNodes } from "../../support/bus/test-brokers.ts";

const ledger = defineContract("ledger", {
	read: { summary: "Reads from a store", params: {}, returns: { type: "any" } },
});

const looks = defineContract("looks", {
	up: { summary: "Looks into a store", params: { n: { type: "number", min: 0 } }, returns: { type: "any" } },
});

/** Whether the store of the services is away. */
let isDown = false;

const { up } = implement(looks, {
	async up({ n }) {
		if (isDown) throw new UnavailableError("Cannot reach the document store", "STORE_UNREACHABLE");
		if (n === 404) throw new NotFoundError("There is no such thing");
		return n;
	},
});
/** The unit is milliseconds. */
const soonTried = { up: { ...up, circuitBreaker: { halfOpenTime: 400 } } };

function looking(broker: () => ServiceBroker) {
	const action = looks.actions.up.name;
	return {
		action,
		isOffered: () => broker().registry.actions.isAvailable(action),
		look: (n: number) => callAs(broker(), alice, looks.actions.up, { n }),
	};
}

describe("a breaker", function () {
	this.timeout(30_000);
	let nodes: Nodes;

	before(async () => {
		isDown = false;
		const read = async () => {
			if (isDown) throw new UnavailableError("Cannot reach the document store", "STORE_UNREACHABLE");
			return true;
		};
		nodes = await startNodes(2, [{ name: ledger.name, actions: implement(ledger, { read }) }]);
	});
	after(() => nodes?.stop());

	for (const count of [1, 2] as const) {
		describe(`whose trial is refused, ${count} ${count === 1 ? "process" : "processes"}`, () => {
			let refused: Nodes;
			const { action, isOffered, look } = looking(() => refused.near);

			beforeEach(async () => {
				isDown = true;
				refused = await startNodes(count, [{ name: looks.name, actions: soonTried }]);
				for (let n = 0; n < 5; n++) await failureOf(look(1));
				expect(isOffered(), `${action}, while its store is away`).to.equal(false);
				await eventually(isOffered, { everyMs: 5, what: "the breaker is half-open" });
			});
			afterEach(() => refused?.stop());

			it("tries the next call when the refusal says nothing", async () => {
				expect(await failureOf(look(-1))).to.be.instanceOf(InvalidParametersError);
				expect(isOffered()).to.equal(true);
				expect(await failureOf(look(1)), "which is the trial").to.include({ type: "STORE_UNREACHABLE" });
				expect(isOffered(), "because it failed").to.equal(false);
			});

			it("closes when the refusal is an answer of the service", async () => {
				isDown = false;
				expect(await failureOf(look(404))).to.be.instanceOf(NotFoundError);
				expect(isOffered()).to.equal(true);
				expect(await Promise.all([look(1), look(1)]), "at once").to.deep.equal([1, 1]);
			});
		});
	}

	it("bars a process that was away and came back, and tries it again later", async () => {
		const { near } = nodes;
		const read = () => callAs(near, alice, ledger.actions.read, {});
		const action = ledger.actions.read.name;
		const isOffered = () => near.registry.actions.isAvailable(action);
		expect(await read()).to.equal(true);
		const { id } = near.registry.nodes.list({}).find((node) => node.id !== near.nodeID) ?? expect.fail();
		near.registry.nodes.disconnected(id, true);
		expect(isOffered(), "while it is away").to.equal(false);
		await near.registry.discoverer.discoverNode(id);
		await eventually(isOffered, { everyMs: 1 });

		isDown = true;
		for (let n = 0; n < 10; n++) await failureOf(read());
		expect(isOffered(), "while its store is away").to.equal(false);
		near.localBus.emit("$circuit-breaker.half-opened", { nodeID: id, action });
		expect(isOffered(), "when it is tried again").to.equal(true);
	});
});
