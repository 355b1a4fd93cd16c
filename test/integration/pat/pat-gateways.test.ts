/**
 * Personal access tokens of a real OpenID provider at several gateways on brokers of their own, over one store: how fast a
 * revocation takes effect on each of them, with the hint and without it, and what happens when nobody can be asked.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type BrokerOptions, ServiceBroker } from "moleculer";
import type { PersonalToken } from "#shared/contracts/pat/tokens.ts";
import { loadConfig } from "#shared/config/config.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import type { Part, Platform } from "#host/platform.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { openGateway } from "#services/gateway/compose.ts";
import type { Gateway } from "#services/gateway/gateway.ts";
import { gatewayService } from "#services/gateway/gateway.service.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { testBusKey } from "../../support/bus/test-brokers.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { tokenSpellings } from "../../support/hostile/token-spellings.ts";
import { audience, ExchangingProvider, issuerClient } from "../../support/identity/exchanging-provider.ts";
import { composeParts } from "../../support/platform/compose-parts.ts";
import { noLog } from "../../support/platform/no-log.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

type Shown = PersonalToken & { token: string };

/** How long a gateway that hears no hints may remember, and one that must hear them. */
const rememberedSeconds = { deaf: 1, hearing: 3_600, forgetful: 3_600 } as const;
type Name = keyof typeof rememberedSeconds;

describe("personal access tokens at several gateways", function () {
	this.timeout(120_000);
	const folder = mkdtempSync(join(tmpdir(), "atelier-pat-"));
	const brokers: ServiceBroker[] = [];
	const gateways: Gateway[] = [];
	const urls = {} as Record<Name, string>;
	let provider: ExchangingProvider;
	let parts: Part[];

	before(async () => {
		provider = await ExchangingProvider.start();
		parts = await composeParts(platformOf("hearing"), storingServices);
		const store = broker("store");
		for (const { services } of parts) for (const service of services) store.createService(service);
		await store.start();
		for (const name of Object.keys(rememberedSeconds) as Name[]) {
			const gateway = await openGateway(platformOf(name), publicContracts);
			gateways.push(gateway);
			urls[name] = gateway.url("127.0.0.1");
			const service = gatewayService(gateway, () => {});
			const own = broker(name);
			own.createService(name === "hearing" ? service : { ...service, events: {} });
			await own.start();
			await own.waitForServices(["tokens", "admissions", "prompts"], 20_000, 10);
		}
	});

	after(async () => {
		for (const gateway of gateways) gateway.close();
		for (const one of brokers) await one.stop();
		for (const part of parts ?? []) await part.close?.();
		await provider?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	function platformOf(name: Name): Platform {
		const config = loadConfig({ DATA_DIR: folder, PORT: "0" });
		return {
			config: {
				...config,
				identity: {
					...config.identity,
					adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity",
					kwargs: { issuer: provider.issuer, audience, administrators: ["ada"] },
				},
				tenants: { ...config.tenants, default_by_claim: true },
				pat: {
					...config.pat,
					token_issuer_adapter: "services/pat/token-issuers/token-exchange.ts#TokenExchange",
					token_issuer_kwargs: provider.exchangeOptions,
					revocation_cache_ttl: rememberedSeconds[name],
				},
			},
			key: new InstallationKey(Buffer.alloc(32, 7)),
			trustsCallers: false,
			outbound: new Outbound(config.outbound),
			rawHandlers: new Map(),
			upgradeHandlers: new Map(),
			shortcomings: [],
			metrics: new Metrics(),
			readiness: new Map(),
			log: noLog,
			announce() {},
		};
	}

	function broker(label: string): ServiceBroker {
		const options: BrokerOptions = brokerOptions({ url: "", log_level: "fatal" }, testBusKey, `pat-${label}`);
		const transit = { ...options.transit, serviceChangedDebounceTime: 0 };
		const made = new ServiceBroker({ ...options, transporter: "Fake", transit });
		brokers.push(made);
		return made;
	}

	const desk = (login: string) => new ApiClient(`${urls.hearing}/api/v1/users`, { authorization: `Bearer ${login}` });
	const statusAt = async (name: Name, token: string): Promise<number> =>
		(await new ApiClient(`${urls[name]}/api/v1/svc`, { authorization: `Bearer ${token}` }).get("/prompts")).status;
	const statuses = async (token: string) =>
		Object.fromEntries(
			await Promise.all(Object.keys(urls).map(async (name) => [name, await statusAt(name as Name, token)])),
		);

	async function issued(name: string, scope = "write"): Promise<Shown> {
		const answer = await desk(await provider.login("ada")).post<Shown>("/tokens", { name, scope });
		expect(answer.status, answer.text).to.equal(201);
		return answer.body;
	}

	it("are issued to a person who logged in, and to no token", async () => {
		const { token, expires_at } = await issued("first");
		expect(Date.parse(expires_at) - Date.now()).to.be.within(364 * 86_400_000, 365 * 86_400_000 + 60_000);
		expect(await statuses(token)).to.deep.equal({ deaf: 200, hearing: 200, forgetful: 200 });
		expect((await desk(token).post("/tokens", { name: "second" })).status).to.equal(403);
		const notExchanged = await provider.login("ada", [audience]);
		const refused = await desk(notExchanged).post("/tokens", { name: "refused" });
		expect([refused.status, refused.headers.get("x-error-code")]).to.deep.equal([502, "ISSUER_REFUSED"]);
	});

	it("end everywhere when they are revoked: at once with the hint, and without it when the answer is too old", async () => {
		const { id, token } = await issued("to revoke");
		expect(await statuses(token)).to.deep.equal({ deaf: 200, hearing: 200, forgetful: 200 });
		const began = performance.now();
		expect((await desk(await provider.login("ada")).delete(`/tokens/${id}`)).status).to.equal(204);
		await eventually(async () => (await statusAt("hearing", token)) === 401, { withinMs: 10_000, everyMs: 5 });
		const heard = performance.now() - began;
		await eventually(async () => (await statusAt("deaf", token)) === 401, { withinMs: 10_000, everyMs: 20 });
		const unheard = performance.now() - began;
		console.log(`      revoked after ${Math.round(heard)} ms with the hint, ${Math.round(unheard)} ms without it`);
		expect(heard).to.be.below(10_000);
		expect(unheard).to.be.below(10_000);
		expect(await statusAt("forgetful", token), "control: one that remembers and hears nothing").to.equal(200);
		const spellings = await Promise.all(tokenSpellings(token).map((one) => statusAt("hearing", one)));
		expect(spellings.length).to.be.above(70);
		expect(new Set(spellings)).to.deep.equal(new Set([401]));
	});

	it("end with the membership in which they were made, and are listed and revoked from every tenant (P5)", async () => {
		const at = (login: string, base: string, tenant?: string) =>
			new ApiClient(`${urls.hearing}${base}`, {
				authorization: `Bearer ${login}`,
				...(tenant !== undefined && { "atelier-tenant": tenant }),
			});
		const operator = at(await provider.login("ada"), "/api/v1/svc");
		const bob = await provider.login("bob");
		expect((await at(bob, "/api/v1/svc").get("/me")).status, "in no tenant").to.equal(403);
		const join = async (id: string) => {
			const added = await operator.post(`/tenants/${id}/members`, { user_id: "bob" });
			expect(added.status, added.text).to.equal(201);
		};
		for (const tenant_id of ["acme", "globex"]) {
			await operator.post("/tenants", { name: tenant_id, tenant_id });
			await join(tenant_id);
		}
		const made = await at(bob, "/api/v1/users").post<Shown>("/tokens", { name: "of acme" });
		expect(made.status, made.text).to.equal(201);
		const { token, id } = made.body;
		expect(await statusAt("deaf", token)).to.equal(200);
		expect((await operator.delete("/tenants/acme/members/bob")).status).to.equal(204);
		await eventually(async () => (await statusAt("deaf", token)) === 401, { withinMs: 30_000, everyMs: 100 });
		await join("acme");
		const again = at(bob, "/api/v1/users", "acme");
		await eventually(async () => (await again.get("/tokens")).status === 200, { withinMs: 30_000, everyMs: 100 });
		const renewed = await again.post<Shown>("/tokens", { name: "of acme again" });
		const works = async () => (await statusAt("deaf", renewed.body.token)) === 200;
		await eventually(works, { withinMs: 30_000, everyMs: 100, what: "a token of the new membership works" });
		expect(await statusAt("deaf", token), "that of the former one does not come back").to.equal(401);
		const elsewhere = at(bob, "/api/v1/users", "globex");
		expect((await elsewhere.get<PersonalToken[]>("/tokens")).body.map(({ name }) => name)).to.have.length(2);
		expect((await elsewhere.delete(`/tokens/${id}`)).status).to.equal(204);
	});

	it("are refused when the provider has signed them and the platform does not know them", async () => {
		const unknown = await new ApiClient(provider.issuer).request<{ access_token: string }>("POST", "/token", {
			body: new URLSearchParams({
				grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
				subject_token: await provider.login("ada"),
				...issuerClient,
			}).toString(),
			headers: { "content-type": "application/x-www-form-urlencoded" },
		});
		expect(unknown.status, unknown.text).to.equal(200);
		expect(await statuses(unknown.body.access_token)).to.deep.equal({ deaf: 401, hearing: 401, forgetful: 401 });
	});

	it("are refused with 503 when nobody can say whether they are active", async () => {
		const { token } = await issued("unknown state");
		expect(await statusAt("deaf", token)).to.equal(200);
		await brokers[0]?.stop();
		await eventually(async () => (await statusAt("deaf", token)) === 503, { withinMs: 20_000 });
	});
});
