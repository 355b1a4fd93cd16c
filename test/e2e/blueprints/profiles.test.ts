/**
 * Profiles and presets of a real platform: two persons of a tenant and one of another, and kills in the middle of writes.
 * Long: it kills and starts the platform seven times.
 */
import { expect } from "chai";
import type { Preset } from "#shared/contracts/blueprints/presets.ts";
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { unknownId } from "../../support/conformance/request.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

describe("profiles and presets", function () {
	this.timeout(180_000);
	let platform: TestPlatform;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	async function create<T>(path: string, body: object, headers: Record<string, string> = {}): Promise<T> {
		const answer = await api("alice").request<T>("POST", path, { body, headers });
		expect(answer.status, answer.text).to.equal(201);
		return answer.body;
	}

	async function defaults(): Promise<string[]> {
		const { body } = await api("alice").get<Profile[]>("/profiles");
		return body.filter(({ is_default }) => is_default).map(({ name }) => name);
	}

	it("do not exist for anybody but their owner, not even for administrators", async () => {
		await create("/profiles", { name: "hers", is_default: true, env_vars: { TOKEN: "canary" } });
		const { id } = await create<Preset>("/presets", { name: "hers", env_vars: { TOKEN: "canary" } });
		for (const who of ["bob", "carol"]) {
			for (const path of ["/profiles", "/presets"]) expect((await api(who).get(path)).body).to.deep.equal([]);
			const attempts = (name: string, preset: string) => [
				api(who).get(`/profiles/${name}`),
				api(who).put(`/profiles/${name}`, { description: "x" }),
				api(who).delete(`/profiles/${name}`),
				api(who).get(`/presets/${preset}`),
				api(who).put(`/presets/${preset}`, { description: "x" }),
				api(who).delete(`/presets/${preset}`),
				api(who).post("/sessions", { name: "x", profile_name: name }),
				api(who).post("/sessions", { name: "x", preset_id: preset }),
			];
			const foreign = await Promise.all(attempts("hers", id));
			const unknown = await Promise.all(attempts("none", unknownId));
			expect(foreign.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 404, 404, 422, 422]);
			const words = foreign.map(({ text }) => text.replaceAll(id, unknownId).replaceAll("hers", "none"));
			expect(words).to.deep.equal(unknown.map(({ text }) => text));
			const own = await api(who).post<Session>("/sessions", { name: "own" });
			expect(own.body, "the default of somebody else").to.include({ profile_name: null });
			await api(who).delete(`/sessions/${own.body.id}`);
		}
		expect(await defaults()).to.deep.equal(["hers"]);
		expect((await api("alice").delete("/profiles/hers")).status).to.equal(204);
		expect((await api("alice").delete(`/presets/${id}`)).status).to.equal(204);
	});

	it("refuse the tokens of pods", async () => {
		const { body } = await api("alice").post<Session>("/sessions", { name: "pod" });
		const pod = platform.client({
			authorization: `Bearer ${openInstallationKey(platform.dataDir, "").podToken(body.id, 1)}`,
		});
		for (const path of ["/profiles", "/presets"]) {
			expect((await pod.get(path)).status).to.equal(403);
			expect((await pod.post(path, { name: "x" })).status).to.equal(403);
		}
		await api("alice").delete(`/sessions/${body.id}`);
	});

	it("come in pages with an entity tag, and one that has not changed is not sent again", async () => {
		for (const name of ["a", "b", "c"]) await create("/profiles", { name });
		const page = await api("alice").get<Profile[]>("/profiles?limit=2");
		const next = /<\/api\/v1\/svc([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
		expect((await api("alice").get<Profile[]>(next ?? "")).body.map(({ name }) => name)).to.deep.equal(["c"]);
		const headers = { "if-none-match": page.headers.get("etag") ?? "" };
		const again = await api("alice").get("/profiles?limit=2", { headers });
		expect([again.status, again.text]).to.deep.equal([304, ""]);
		await api("alice").put("/profiles/b", { is_default: true });
		expect((await api("alice").get("/profiles?limit=2", { headers })).status).to.equal(200);
		for (const name of ["a", "b", "c"]) await api("alice").delete(`/profiles/${name}`);
	});

	it("lose nothing acknowledged, killed in the middle of each write; a repeated request takes effect once", async () => {
		await create("/profiles", { name: "kept", env_vars: { A: "before" }, is_default: true });
		await create("/profiles", { name: "gone" });
		const headers = { "idempotency-key": "the-same" };
		const body = { name: "new", is_default: true };
		for (const point of ["blueprints.written", "blueprints.default-written"]) {
			await killedAt(point, () => api("alice").request("POST", "/profiles", { body, headers }));
			expect(await defaults()).to.have.length(1);
		}
		expect(await create<Profile>("/profiles", body, headers)).to.include({ is_default: true });
		expect(await defaults()).to.deep.equal(["new"]);

		const moved = { workload_type: "reviewer", env_vars: { A: "after" } };
		await killedAt("blueprints.written", () => api("alice").put("/profiles/new", moved));
		expect(await defaults(), "its new group has no default yet").to.deep.equal([]);
		expect((await api("alice").put<Profile>("/profiles/new", moved)).body).to.deep.include({
			...moved,
			is_default: true,
		});
		await killedAt("blueprints.written", () => api("alice").delete("/profiles/gone"));
		await killedAt("blueprints.written", () => api("alice").delete("/profiles/new"));
		const { body: all } = await api("alice").get<Profile[]>("/profiles");
		expect(all.map(({ name, env_vars }) => [name, env_vars])).to.deep.equal([["kept", { A: "before" }]]);
		expect((await api("alice").put<Profile>("/profiles/kept", { is_default: true })).body).to.include({
			is_default: true,
		});

		const { id } = await create<Preset>("/presets", { name: "preset", model: "m" });
		await killedAt("blueprints.written", () => api("alice").put(`/presets/${id}`, { model: null }));
		expect((await api("alice").get<Preset>(`/presets/${id}`)).body).to.include({ name: "preset", model: null });
	});

	/** The platform is killed when it has written, before it answers, and starts again without the failpoint. */
	async function killedAt(point: string, request: () => Promise<unknown>): Promise<void> {
		await platform.stop();
		platform.processes = [platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` })];
		await platform.ready();
		const outcome = await request().then(
			() => "answered",
			() => "lost",
		);
		expect(outcome, point).to.equal("lost");
		await eventually(() => platform.processes.every(({ hasEnded }) => hasEnded));
		await platform.start();
	}
});
