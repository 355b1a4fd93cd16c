/**
 * The sentences that people read when the kernel or a real engine ends what runs in a container.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";

/** A command that uses memory without an end. */
const hungry = `node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"`;

describe("what ends in containers of a real engine", function () {
	this.timeout(240_000);
	let world: ContainedPlatform;

	before(async () => {
		world = await ContainedPlatform.start({ kwargs: { memory_mb: 512, temporary_mb: 64 } });
	});
	after(() => world?.[Symbol.asyncDispose]());

	it("warns a session whose command has used up the memory, and goes on", async () => {
		const id = await world.running({ model: "" });
		await ask(world.api, id, `$ ${hungry}; echo ended`);
		const { warnings, status } = await eventually(
			async () => {
				const now = await world.session(id);
				return now.warnings.length > 0 && now;
			},
			{ withinMs: 20_000, what: "the session is warned" },
		);
		expect(status).to.equal("running");
		expect(warnings.join()).to.include("A command used more memory than the session may have");
		expect(await ask(world.api, id, "$ echo alive")).to.include("alive");
	});

	it("tells every session that its engine was stopped", async () => {
		const ids = [await world.running({ model: "" }), await world.running({ model: "" })];
		await world.engine.restart();
		for (const id of ids) {
			await sessionReaches(world.api, id, "failed", 60_000);
			expect((await world.session(id)).status_reason?.code).to.equal("NODE_SHUTDOWN");
		}
	});
});
