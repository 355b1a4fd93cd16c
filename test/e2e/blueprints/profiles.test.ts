/**
 * Profiles and presets of a real platform: two persons of a tenant and one of another. test/e2e/crashes kills it in the middle of
 * their changes.
 */
import { expect } from "chai";
import type { Preset } from "#shared/contracts/blueprints/presets.ts";
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { unknownId } from "../../support/conformance/request.ts";
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
});
