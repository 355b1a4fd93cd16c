/** The actor of the present work: it follows asynchronous steps, and the outermost one counts. */
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { type Actor, actingAs, currentActor } from "#shared/base/actor.ts";
import { ChangeQueue } from "#services/sessions/record/change-queue.ts";

function actor(id: string): Actor {
	return { principal: { kind: "user", id, tenant: "t", roles: [] }, action: "prompts.create", isRead: false };
}

describe("actingAs", () => {
	it("follows asynchronous steps, and ends with the work", async () => {
		await actingAs(actor("a"), async () => {
			await setImmediate();
			expect(currentActor()?.principal.id).to.equal("a");
		});
		expect(currentActor()).to.equal(undefined);
	});

	it("keeps the outer actor for inner work of persons, and none for work of the platform", () => {
		actingAs(actor("a"), () => {
			expect(actingAs(actor("b"), currentActor)?.principal.id).to.equal("a");
			expect(actingAs(undefined, currentActor)).to.equal(undefined);
		});
	});

	it("keeps the actors of changes apart that wait for each other", async () => {
		const queue = new ChangeQueue();
		const seen = await Promise.all(
			["a", "b", "c"].map((id) =>
				actingAs(actor(id), () =>
					queue.run("one", { principal: actor(id).principal }, async () => {
						await setImmediate();
						return [id, currentActor()?.principal.id];
					}),
				),
			),
		);
		expect(seen).to.deep.equal([
			["a", "a"],
			["b", "b"],
			["c", "c"],
		]);
	});
});
