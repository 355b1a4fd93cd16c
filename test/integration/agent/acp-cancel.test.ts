import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect } from "chai";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import { JsonRpc } from "#agent/io/json-rpc.ts";
import { eventually } from "../../support/eventually.ts";
import { openStarted, scriptedRecord } from "../../support/agents/open-agent.ts";

/** An agent in this process, whose turns end when the test lets them. */
class HeldAgent {
	readonly input = new PassThrough();
	readonly output = new PassThrough();
	readonly ended = new Promise<string>(() => {});
	/** The turns, in order. */
	readonly turns: PromiseWithResolvers<JsonObject>[] = [];
	cancels = 0;

	constructor() {
		new JsonRpc(this.input, this.output, {
			requests: {
				initialize: () => ({ protocolVersion: 1 }),
				"session/new": () => ({ sessionId: "held" }),
				"session/prompt": () => {
					const turn = Promise.withResolvers<JsonObject>();
					this.turns.push(turn);
					return turn.promise;
				},
			},
			notifications: { "session/cancel": () => void this.cancels++ },
		});
	}

	async endCommands(): Promise<void> {}

	kill(): void {}

	async close(): Promise<void> {
		this.input.end();
		this.output.end();
	}
}

describe("AcpAgent: cancel", () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-cancel-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("never reaches the turn after the one that it was meant for", async () => {
		const held = new HeldAgent();
		const agent = await openStarted(held, { ...scriptedRecord(), late_update_ms: 0 }, folder);

		const first = agent.prompt("one", () => {});
		await eventually(() => held.turns.length === 1);
		// The answer is on its way when the turn is cancelled, and the next message is in the queue.
		held.turns[0]?.resolve({ stopReason: "end_turn" });
		agent.cancel();
		const second = first.then(() => agent.prompt("two", () => {}));

		// This check succeeds later than the notification of a cancelled turn would be sent.
		await eventually(() => held.turns.length === 2);
		expect(held.cancels, "of the turn that was over").to.equal(0);
		agent.cancel();
		await eventually(() => held.cancels === 1);
		held.turns[1]?.resolve({ stopReason: "cancelled" });
		expect(await first).to.equal("end_turn");
		expect(await second).to.equal("cancelled");
		await agent.close();
	});
});
