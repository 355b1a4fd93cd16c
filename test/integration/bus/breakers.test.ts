/** The breakers in front of another process. */
import { expect } from "chai";
import { defineContract } from "#shared/bus/contract.ts";
import { implement } from "#shared/bus/service.ts";
import { UnavailableError } from "#shared/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { alice, callAs, type Nodes, startNodes } from "../../support/bus/test-brokers.ts";

const ledger = defineContract("ledger", {
	read: { summary: "Reads from a store", params: {}, returns: { type: "any" } },
});

describe("a breaker", function () {
	this.timeout(30_000);
	let nodes: Nodes;
	let isDown = false;

	before(async () => {
		const read = async () => {
			if (isDown) throw new UnavailableError("Cannot reach the document store", "STORE_UNREACHABLE");
			return true;
		};
		nodes = await startNodes(2, [{ name: ledger.name, actions: implement(ledger, { read }) }]);
	});
	after(() => nodes?.stop());

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
