/**
 * kill -9 in the middle of each change of settings: what was acknowledged is there, and the other change is whole. No
 * value of a secret is in a file of the store.
 * Long: it kills and starts the platform five times.
 */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

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

const data = { token: "value-that-is-in-no-file" };

/** Kills the platform while it creates a secret, and starts it again. @param kept The name of one that was acknowledged. */
async function killWhileCreating(platform: TestPlatform, kept: string): Promise<void> {
	const api = platform.client();
	const dying = platform.startProcess([], { ATELIER_FAILPOINTS: "settings.written=kill" });
	platform.processes = [dying];
	await platform.ready();
	expect((await api.get(`/secrets/${kept}`)).body).to.deep.equal({ name: kept, keys: ["token"] });
	expect(await api.post("/secrets", { name: "new", data }).catch(() => "no answer")).to.equal("no answer");
	await dying.ended();
	await platform.start();
	const { body } = await api.get<{ name: string }[]>("/secrets");
	const names = body.map(({ name }) => name);
	expect(names).to.include(kept);
	const again = await api.post("/secrets", { name: "new", data });
	expect(again.status, "it is there as a whole, or not at all").to.equal(names.includes("new") ? 409 : 201);
	expect((await api.post("/secrets", { name: kept, data })).status).to.equal(409);
}

/** Returns the content of all files of the store, of which some are written by a running process. */
function storeContent(platform: TestPlatform): string {
	const folder = join(platform.dataDir, "store");
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
}

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
		expect((await api.post("/secrets", { name: "kept", data })).status).to.equal(201);
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

		await killWhileCreating(platform, "kept");
		expect(storeContent(platform)).to.include("user_secrets").and.not.to.include(data.token);
		for (const change of changes) {
			const { one = "", other = "" } = states.get(change.path) ?? {};
			expect([one, other], `${change.path}, not acknowledged`).to.include(await shown(change));
			expect((await api.put(change.path, change.one)).status).to.equal(200);
			expect(await shown(change)).to.equal(one);
		}
	});
});
