/**
 * kill -9 in the middle of each change of a connection: what was acknowledged is there, and the other change is whole.
 * Long: it kills and starts the platform four times.
 */
import { expect } from "chai";
import { startPlatform } from "../../support/platform/start-platform.ts";

interface View {
	readonly id: string;
	readonly slug: string;
	readonly enabled: boolean;
	readonly config: object;
}

const order = { integration_type: "source_control", slug: "github", credential_name: "key", config: { orgs: "one" } };
const changed = { enabled: false, config: { orgs: "other", name: "work" } };

describe("kill -9 in the middle of a change of a connection", function () {
	this.timeout(120_000);

	it("loses nothing that was acknowledged, and halves nothing", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const listed = async () => (await api.get<View[]>("/integrations")).body;
		const create = (key: string) =>
			api.request<View>("POST", "/integrations", { body: order, headers: { "idempotency-key": key } });
		const { body: first } = await create("first");
		await platform.kill();

		for (const [what, change] of [
			["a creation", () => create("second")],
			["a change", () => api.put(`/integrations/${first.id}`, changed)],
			["a deletion", () => api.delete(`/integrations/${first.id}`)],
		] as const) {
			const dying = platform.startProcess([], { ATELIER_FAILPOINTS: "integrations.written=kill" });
			platform.processes = [dying];
			await platform.ready();
			expect(
				(await listed()).map(({ id }) => id),
				`acknowledged before ${what}`,
			).to.include(first.id);
			expect(await change().catch(() => "no answer"), what).to.equal("no answer");
			await dying.ended();
		}

		await platform.start();
		const [second, ...rest] = await listed();
		const { body: again } = await create("second");
		expect(again.id, "the repeated creation is the first one").to.equal(second?.id);
		expect(again).to.deep.include({ enabled: true, config: order.config });
		expect(rest.map(({ id }) => id)).to.not.include(first.id);
		expect((await api.delete(`/integrations/${first.id}`)).status).to.equal(404);
		expect(await listed()).to.have.length(1);
	});
});
