/**
 * kill -9 in the middle of each change of settings: what was acknowledged is there, and the other change is whole.
 * Long: it kills and starts the platform four times.
 */
import { expect } from "chai";
import { startPlatform } from "../../support/platform/start-platform.ts";

/** The path of each change, the path that shows it where that is another one, and two values. */
const changes = [
	{
		path: "/features/preferences",
		one: { preferences: [{ feature_key: "chat", visible: true, sort_order: 1 }] },
		other: { preferences: [{ feature_key: "logs", visible: false, sort_order: 2 }] },
	},
	{
		path: "/admin/settings",
		one: { storage: { home_enabled: false, file_manager_enabled: false } },
		other: { storage: { home_enabled: true, file_manager_enabled: true } },
	},
	{ path: "/features/logs/toggle", shownAt: "/features", one: { enabled: false }, other: { enabled: true } },
];

describe("kill -9 in the middle of a change of settings", function () {
	this.timeout(120_000);

	it("loses nothing that was acknowledged, and halves nothing", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const shown = ({ path, shownAt = path }: (typeof changes)[number]) => api.get(shownAt).then(({ text }) => text);
		const states = new Map<string, { one: string; other: string }>();
		for (const change of changes) {
			await api.put(change.path, change.other);
			const other = await shown(change);
			expect((await api.put(change.path, change.one)).status).to.equal(200);
			states.set(change.path, { one: await shown(change), other });
		}
		await platform.kill();

		for (const change of changes) {
			const { one = "", other = "" } = states.get(change.path) ?? {};
			expect(one).not.to.equal(other);
			const dying = platform.startProcess([], { ATELIER_FAILPOINTS: "settings.written=kill" });
			platform.processes = [dying];
			await platform.ready();
			expect(await shown(change), `${change.path}, acknowledged before a kill`).to.equal(one);
			expect(await api.put(change.path, change.other).catch(() => "no answer")).to.equal("no answer");
			await dying.ended();
		}

		await platform.start();
		for (const change of changes) {
			const { one = "", other = "" } = states.get(change.path) ?? {};
			expect([one, other], `${change.path}, not acknowledged`).to.include(await shown(change));
			expect((await api.put(change.path, change.one)).status).to.equal(200);
			expect(await shown(change)).to.equal(one);
		}
	});
});
