/**
 * Every list of the contracts, read as a client reads it: page by page, with an entity tag, and not again while nothing
 * changes. A list that is new is found in the contracts; `seeds` and `places` say what it needs to be read.
 */
import { expect } from "chai";
import { type ActionRoute, actionRoutes } from "#services/gateway/routes/action-route.ts";
import { serviceFolders } from "#host/service-folders.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { type Answer, ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

/** Sessions are stored and never started, so that nothing changes by itself. */
const processes = [serviceFolders.filter((name) => name !== "pod-manager")];
const servers = ["one", "two", "three"].map((name) => ({ name, type: "http", url: `https://${name}.example/` }));

/** Makes the n-th item of a list, for lists that begin empty. @param id The id of a session. */
type Seed = (api: ApiClient, n: number, id: string) => Promise<Answer>;

const prompt: Seed = (api, n) => api.post("/prompts", { name: `prompt ${n}`, content: "needle" });

const seeds: Readonly<Record<string, Seed>> = {
	"sessions.list": (api, n) => api.post("/sessions", { name: `session-${n}` }),
	"prompts.list": prompt,
	"prompts.search": prompt,
	"mappings.list": (api, n) =>
		api.post("/tracker/mappings", { repo_url: `https://git.example/org/${n}`, project_id: "ENG" }),
	"secrets.list": (api, n) => api.post("/secrets", { name: `secret-${n}`, data: { a: "b" } }),
	"profiles.list": (api, n) => api.post("/profiles", { name: `profile-${n}` }),
	"presets.list": (api, n) => api.post("/presets", { name: `preset-${n}` }),
	"chronicles.list": async (api, n) => {
		const { body } = await api.post<Session>("/sessions", { name: `chronicle-${n}` });
		return api.post("/chronicles", { session_id: body.id });
	},
	"credentials.list": (api, n) =>
		api.post("/credentials", { name: `credential-${n}`, secret_type: "generic", data: { a: "b" } }),
	"session-events.list": (api, n, session_id) =>
		api.post("/events", { session_id, event_type: "error", timestamp: "2026-11-21T10:00:00Z", sequence: n, data: {} }),
};

/** The parameters that lists need, by name. @param repo_url The repository of the git provider. */
const places = (id: string, repo_url: string): Readonly<Record<string, string>> => ({
	session_id: id,
	repo_url,
	provider: "hub",
	org: "acme",
	tenant_id: "default",
	q: "needle",
	scope: "session",
});

const pages = 12;

/**
 * Lists that are read from a platform of their own. The pod manager's is nowhere else. The audit log gets its entries
 * some time after the writes, so nobody may write while it is compared.
 */
const readApart = ["/agents?", "/admin/audit?"];

describe("every list", function () {
	this.timeout(120_000);
	const lists = actionRoutes(publicContracts).filter(({ action, method }) => action.paged && method === "GET");
	let platform: TestPlatform;
	let api: ApiClient;
	let root: ApiClient;
	/** The platform of the lists that are read apart. */
	let apart: TestPlatform;
	let stage: GitHubStage;
	let session: string;

	before(async () => {
		apart = await startPlatform();
		await writeAudited(3);
		stage = await GitHubStage.open();
		for (let n = 0; n < 3; n++) await openPull(n);
		const instances = [{ name: "hub", base_url: stage.fake.apiUrl, token: stage.token, orgs: ["acme"] }];
		const config = { mcp_servers: servers, git: { github: { instances } } };
		platform = await startPlatform({ processes, readyAt: "/api/v1/svc/sessions", config });
		api = platform.client();
		root = new ApiClient(platform.url);
		session = (await api.post<Session>("/sessions", { name: "first" })).body.id;
		for (let n = 0; n < 3; n++) {
			for (const seed of Object.values(seeds)) {
				const { status, text } = await seed(api, n, session);
				expect(status, text).to.equal(201);
			}
		}
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await apart?.[Symbol.asyncDispose]();
		await stage?.[Symbol.asyncDispose]();
	});

	/** Opens a pull request at the git provider. */
	async function openPull(n: number): Promise<void> {
		stage.push(`work-${n}`, { "work.txt": `${n}\n` });
		const body = { title: `work ${n}`, head: `work-${n}`, base: "main" };
		const headers = { authorization: `Bearer ${stage.token}` };
		const { status, text } = await new ApiClient(stage.fake.apiUrl).post("/repos/acme/engine/pulls", body, { headers });
		expect(status, text).to.equal(201);
	}

	/** Makes prompts, which nobody changes afterwards, and waits until the audit log has them all. */
	async function writeAudited(count: number): Promise<void> {
		for (let n = 0; n < count; n++) expect((await prompt(apart.client(), n, "")).status).to.equal(201);
		const log = apart.client();
		await eventually(async () => (await log.get<unknown[]>("/admin/audit")).body.length === count, {
			withinMs: 20_000,
			what: "the audit log has every write",
		});
	}

	/** Reads the items of a list; some lists are a member of an object. */
	async function itemsOf(target: string): Promise<{ items: unknown[]; headers: Headers }> {
		const { status, body, headers, text } = await read(target);
		expect(status, text).to.equal(200);
		const items: unknown[] = Array.isArray(body) ? body : (Object.values(body as object).find(Array.isArray) ?? []);
		return { items, headers };
	}

	/** @param target The whole path with its query. */
	function read(target: string, headers: Record<string, string> = {}): Promise<Answer> {
		const client = readApart.some((list) => target.includes(list)) ? new ApiClient(apart.url) : root;
		return client.get(target, { headers });
	}

	function targetOf({ path, action: { params } }: ActionRoute, query: Record<string, string> = {}): string {
		const known = places(session, stage.url);
		const whole = path.startsWith("//") ? path.slice(1) : `/api/v1/svc${path}`;
		const filled = whole.replaceAll(/:(\w+)/g, (_all, name: string) => known[name] ?? `no value for ${name}`);
		const needed = Object.entries(params).filter(
			([name, rule]) => !path.includes(`:${name}`) && !rule.optional && !("default" in rule) && name in known,
		);
		const all = { ...Object.fromEntries(needed.map(([name]) => [name, known[name] ?? ""])), ...query };
		return `${filled}?${new URLSearchParams(all)}`;
	}

	/** Resolves to the items of the first pages, with one item each. */
	async function walked(route: ActionRoute): Promise<unknown[]> {
		const items: unknown[] = [];
		let target: string | undefined = targetOf(route, { limit: "1" });
		for (let n = 0; n < pages && target !== undefined; n++) {
			const page: { items: unknown[]; headers: Headers } = await itemsOf(target);
			expect(page.items.length).to.be.most(1);
			expect(page.headers.get("etag"), "an entity tag of each page").to.be.a("string");
			items.push(...page.items);
			target = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
		}
		return items;
	}

	it("is found in the contracts", () => {
		expect(lists.length).to.be.above(10);
		const names = lists.map(({ action }) => action.name);
		expect(names).to.include.members(Object.keys(seeds));
		console.log(`      ${lists.length} lists: ${names.join(", ")}`);
	});

	for (const route of lists) {
		const { name } = route.action;

		it(`${name} is the same in pages of one item and as a whole`, async () => {
			const { items } = await itemsOf(targetOf(route));
			if (name in seeds || ["audit.list", "pulls.list", "repositories.branches"].includes(name))
				expect(items.length).to.be.at.least(3);
			expect(await walked(route)).to.deep.equal(items.slice(0, pages));
		});

		it(`${name} is not sent again while nothing changes`, async () => {
			const first = await read(targetOf(route));
			const tag = first.headers.get("etag") ?? "";
			const again = await read(targetOf(route), { "if-none-match": tag });
			expect([again.status, again.text, again.headers.get("etag")]).to.deep.equal([304, "", tag]);
			const other = await read(targetOf(route), { "if-none-match": 'W/"another"' });
			expect([other.status, other.text]).to.deep.equal([200, first.text]);
			const seed = seeds[name];
			if (!seed) return;
			expect((await seed(api, 9, session)).status).to.equal(201);
			const changed = await read(targetOf(route), { "if-none-match": tag });
			expect([changed.status, changed.text === first.text]).to.deep.equal([200, false]);
		});

		it(`${name} refuses a limit or a cursor that cannot be`, async () => {
			const statuses = async (query: Record<string, string>) => (await read(targetOf(route, query))).status;
			expect(await statuses({ limit: "0" })).to.equal(422);
			expect(await statuses({ limit: "100000" })).to.equal(422);
			expect(await statuses({ cursor: "not-ours" })).to.equal(400);
		});
	}
});
