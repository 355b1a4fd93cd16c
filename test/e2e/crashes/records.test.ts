/**
 * kill -9 in the middle of each change of prompts, profiles, presets, settings, secrets and connections: what was acknowledged is
 * there, the other change is whole or not there, and a repeated request takes effect once. No value of a secret is in a file of the store.
 * Night: it kills and starts the platform some twenty times.
 */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Preset } from "#shared/contracts/blueprints/presets.ts";
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import type { Prompt } from "#shared/contracts/blueprints/prompts.ts";
import type { Connection } from "#shared/contracts/integrations/integrations.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type CrashRow, testCrashes } from "../../support/crash-rows.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const headers = { "idempotency-key": "the-same" };

describe("kill -9 in the middle of a change of records", function () {
	this.timeout(180_000);
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		platform = await startPlatform();
		api = platform.client();
	});
	after(() => platform?.[Symbol.asyncDispose]());

	async function created<T>(path: string, body: object): Promise<T> {
		const answer = await api.post<T>(path, body);
		expect(answer.status, answer.text).to.equal(201);
		return answer.body;
	}

	describe("of prompts", () => {
		let kept: Prompt;
		let gone: Prompt;
		const create = () => api.post<Prompt>("/prompts", { name: "new", content: "in the kill" }, { headers });
		const found = async (word: string) =>
			(await api.get<Prompt[]>(`/prompts/search?q=${word}`)).body.map(({ name }) => name);

		before(async () => {
			kept = await created("/prompts", { name: "kept", content: "before the kill" });
			gone = await created("/prompts", { name: "gone", content: "before the kill" });
		});

		testCrashes(
			() => platform,
			[
				{ change: "a creation", point: "prompts.written", send: create },
				{
					change: "a change",
					point: "prompts.written",
					send: () => api.put(`/prompts/${kept.id}`, { content: "after the kill" }),
				},
				{
					change: "a deletion",
					point: "prompts.written",
					send: () => api.delete(`/prompts/${gone.id}`),
					allows: async () => {
						const repeated = await create();
						expect(repeated.status).to.equal(201);
						const { body: all } = await api.get<Prompt[]>("/prompts");
						expect(all.map(({ id, content }) => [id, content])).to.deep.equal([
							[kept.id, "after the kill"],
							[repeated.body.id, "in the kill"],
						]);
						expect(await found("before")).to.deep.equal([]);
						expect(await found("after")).to.deep.equal(["kept"]);
						expect(await found("kill")).to.deep.equal(["kept", "new"]);
					},
				},
			],
		);
	});

	describe("of profiles and presets", () => {
		let preset: Preset;
		const moved = { workload_type: "reviewer", env_vars: { A: "after" } };
		const create = () => api.post<Profile>("/profiles", { name: "new", is_default: true }, { headers });
		const profiles = async () => (await api.get<Profile[]>("/profiles")).body;
		const defaults = async () => (await profiles()).filter(({ is_default }) => is_default).map(({ name }) => name);
		const showsOneDefault = async () => expect(await defaults()).to.have.length(1);

		before(async () => {
			await created("/profiles", { name: "kept", env_vars: { A: "before" }, is_default: true });
			await created("/profiles", { name: "gone" });
			preset = await created("/presets", { name: "preset", model: "m" });
		});

		testCrashes(
			() => platform,
			[
				{ change: "a creation", point: "blueprints.written", send: create, shows: showsOneDefault },
				{
					change: "the same creation",
					point: "blueprints.default-written",
					send: create,
					shows: showsOneDefault,
					allows: async () => {
						const { status, body } = await create();
						expect(status).to.equal(201);
						expect(body).to.include({ is_default: true });
						expect(await defaults()).to.deep.equal(["new"]);
					},
				},
				{
					change: "a change of the group",
					point: "blueprints.written",
					send: () => api.put("/profiles/new", moved),
					shows: async () => expect(await defaults(), "its new group has no default yet").to.deep.equal([]),
					allows: async () => {
						const { body } = await api.put<Profile>("/profiles/new", moved);
						expect(body).to.deep.include({ ...moved, is_default: true });
					},
				},
				{ change: "a deletion", point: "blueprints.written", send: () => api.delete("/profiles/gone") },
				{ change: "the deletion of a default", point: "blueprints.written", send: () => api.delete("/profiles/new") },
				{
					change: "a change of a preset",
					point: "blueprints.written",
					given: async () => {
						const all = (await profiles()).map(({ name, env_vars }) => [name, env_vars]);
						expect(all).to.deep.equal([["kept", { A: "before" }]]);
					},
					send: () => api.put(`/presets/${preset.id}`, { model: null }),
					allows: async () => {
						const { body } = await api.get<Preset>(`/presets/${preset.id}`);
						expect(body).to.include({ name: "preset", model: null });
						const kept = await api.put<Profile>("/profiles/kept", { is_default: true });
						expect(kept.body).to.include({ is_default: true });
					},
				},
			],
		);
	});

	describe("of settings and secrets", () => {
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
		const states = new Map<string, { one: string; other: string }>();
		const stateOf = (path: string) => states.get(path) ?? { one: "", other: "" };
		const shown = ({ path, shownAt = path }: (typeof changes)[number]) => api.get(shownAt).then(({ text }) => text);
		const createSecret = (name: string) => api.post("/secrets", { name, data });

		before(async () => {
			for (const change of changes) {
				await api.put(change.path, change.other);
				const other = await shown(change);
				expect((await api.put(change.path, change.one)).status).to.equal(200);
				const one = await shown(change);
				expect(one).not.to.equal(other);
				states.set(change.path, { one, other });
			}
			expect((await createSecret("kept")).status).to.equal(201);
		});

		const settingRows = changes.map(
			(change): CrashRow => ({
				change: `a change of ${change.path}`,
				point: "settings.written",
				given: async () => expect(await shown(change), "acknowledged before a kill").to.equal(stateOf(change.path).one),
				send: () => api.put(change.path, change.other),
			}),
		);
		testCrashes(
			() => platform,
			[
				...settingRows,
				{
					change: "the creation of a secret",
					point: "settings.written",
					given: async () =>
						expect((await api.get("/secrets/kept")).body).to.deep.equal({ name: "kept", keys: ["token"] }),
					send: () => createSecret("new"),
					allows: async () => {
						const names = (await api.get<{ name: string }[]>("/secrets")).body.map(({ name }) => name);
						expect(names).to.include("kept");
						const again = (await createSecret("new")).status;
						expect(again, "it is there as a whole, or not at all").to.equal(names.includes("new") ? 409 : 201);
						expect((await createSecret("kept")).status).to.equal(409);
						expect(storeContent()).to.include("user_secrets").and.not.to.include(data.token);
						for (const change of changes) {
							const { one, other } = stateOf(change.path);
							expect([one, other], `${change.path}, not acknowledged`).to.include(await shown(change));
							expect((await api.put(change.path, change.one)).status).to.equal(200);
							expect(await shown(change)).to.equal(one);
						}
					},
				},
			],
		);

		/** Returns the content of all files of the store, of which some are written by a running process. */
		function storeContent(): string {
			const folder = join(platform.dataDir, "store");
			const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
			return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
		}
	});

	describe("of connections", () => {
		let first: Connection;
		const order = {
			integration_type: "source_control",
			slug: "github",
			credential_name: "key",
			config: { orgs: "one" },
		};
		const changed = { enabled: false, config: { orgs: "other", name: "work" } };
		const listed = async () => (await api.get<Connection[]>("/integrations")).body;
		const create = () => api.post<Connection>("/integrations", order, { headers });
		const given = async () =>
			expect(
				(await listed()).map(({ id }) => id),
				"acknowledged before",
			).to.include(first.id);

		before(async () => {
			first = await created("/integrations", order);
		});

		testCrashes(
			() => platform,
			[
				{ change: "a creation", point: "integrations.written", given, send: create },
				{
					change: "a change",
					point: "integrations.written",
					given,
					send: () => api.put(`/integrations/${first.id}`, changed),
				},
				{
					change: "a deletion",
					point: "integrations.written",
					given,
					send: () => api.delete(`/integrations/${first.id}`),
					allows: async () => {
						const [second, ...rest] = await listed();
						const { body: again } = await create();
						expect(again.id, "the repeated creation is the first one").to.equal(second?.id);
						expect(again).to.deep.include({ enabled: true, config: order.config });
						expect(rest.map(({ id }) => id)).to.not.include(first.id);
						expect((await api.delete(`/integrations/${first.id}`)).status).to.equal(404);
						expect(await listed()).to.have.length(1);
					},
				},
			],
		);
	});
});
