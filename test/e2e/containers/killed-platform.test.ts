/**
 * kill -9 of a platform whose sessions run in containers, at each step of a launch, in a turn and at the end: nothing is lost, doubled or
 * left, and the books have what the model bills.
 * Night: it starts a Docker engine, builds the image of sessions, and starts the platform some ten times.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { callPrice, ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";

describe("kill -9 of a platform with sessions in containers", function () {
	this.timeout(180_000);
	let world: ContainedPlatform;

	before(async () => {
		world = await ContainedPlatform.start({ everyMs: 300 });
	});
	after(() => world?.[Symbol.asyncDispose]());

	async function killed(): Promise<void> {
		for (const one of world.platform.processes) await one.kill();
	}

	/** Starts the platform with a point at which it kills itself, and resolves when it has done so after `send`. */
	async function diesAt(point: string, send: () => Promise<unknown>): Promise<void> {
		for (const one of world.platform.processes) await one.stop();
		world.platform.processes = [world.platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` })];
		await world.platform.ready();
		await send();
		await world.platform.processes[0]?.ended(60_000);
	}

	for (const point of [
		"pod-manager.looked",
		"pod-manager.before-create",
		"containers.before-create",
		"containers.before-start",
		"pod-manager.after-create",
	])
		it(`starts one container for a session whose launch was killed at ${point}`, async () => {
			let id = "";
			await diesAt(point, async () => {
				id = await world.create();
			});
			await world.platform.start();
			await sessionReaches(world.api, id, "running", 60_000);
			expect(world.containers(id)).to.have.length(1);
			expect(await ask(world.api, id, "hello")).to.include("A word.");
			await world.spends(id, callPrice);
		});

	it("goes on with a session in the middle of a turn, and books what the model has billed", async () => {
		const id = await world.running();
		const before = world.model.requests.length;
		await world.api.post(`/sessions/${id}/messages`, { content: "hello" });
		await eventually(() => world.model.requests.length > before, { what: "the model is called" });
		await killed();
		await world.platform.start();
		await sessionReaches(world.api, id, "running", 60_000);
		expect(await ask(world.api, id, "again")).to.include("A word.");
		const { budget } = await eventually(async () => {
			const now = await world.session(id);
			return now.budget.spent > 0 && now;
		});
		expect(budget.spent).to.be.at.least(callPrice - 1e-6);
		expect(world.containers(id)).to.have.length(1);
	});

	it("leaves nothing of sessions that are deleted while it is killed", async () => {
		const { body } = await world.api.get<{ id: string }[]>("/sessions");
		await Promise.all(body.map(({ id }) => world.api.delete(`/sessions/${id}`)));
		await killed();
		await world.platform.start();
		await eventually(() => world.containers().length === 0, { withinMs: 90_000, what: "no container is left" });
		expect(world.engine.run("docker", "volume", "ls", "-q")).to.equal("");
	});
});
