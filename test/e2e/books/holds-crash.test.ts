/** Parked holds of a platform that is killed while it parks them: each counts once, and all of them end. */
import { expect } from "chai";
import type { DayBudget } from "#shared/contracts/sessions/budgets.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { createSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const model = "claude-sonnet-4-6";
/** The price of a turn in dollars: 16,000 tokens of input and 4,000 of output. */
const turn = 0.12;
const ids = Array.from({ length: 40 }, (_, n) => `turn-${n}`);

describe("holds of a day after a kill", function () {
	this.timeout(60_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform({ env: sameDay() });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	it("count once, killed while they are parked", async () => {
		const api = platform.client();
		const { id } = await createSession(api);
		await api.put("/budgets/tenant", { limit: 1_000 });
		const { generation } = (await api.get<Session>(`/sessions/${id}`)).body;
		const token = openInstallationKey(platform.dataDir, "").podToken(id, generation);
		const pod = platform.client({ authorization: `Bearer ${token}` });
		const path = `/sessions/${id}/reservations`;
		const reserve = (reservation_id: string) => pod.post(path, { reservation_id, model }).catch(() => undefined);
		const held = async () => {
			const { reserved } = (await api.get<{ tenant: DayBudget }>("/budgets")).body.tenant;
			return Math.round(reserved / turn);
		};

		await platform.stop();
		platform.processes = [platform.startProcess([], { ATELIER_FAILPOINTS: "budgets.holds-parked=kill" })];
		await platform.ready();
		let acknowledged = 0;
		for (const name of ids) {
			if ((await reserve(name))?.status !== 200) break;
			acknowledged++;
		}
		await eventually(() => platform.processes.every(({ hasEnded }) => hasEnded));
		expect(acknowledged).to.be.within(17, 39);
		await platform.start();
		expect(await held()).to.be.within(acknowledged, acknowledged + 1);
		for (const name of ids) expect((await reserve(name))?.body).to.deep.include({ granted: true });
		expect(await held()).to.equal(ids.length);
		for (const name of ids) expect((await pod.delete(`${path}/${name}`)).status).to.equal(204);
		expect(await held()).to.equal(0);
	});
});
