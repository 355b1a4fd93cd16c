/**
 * A request counts as soon as its credential says who sends it; each refusal is in the audit log, whatever has
 * refused it, and a second look at the credential admits nobody.
 */
import { expect } from "chai";
import type { ServiceSchema } from "moleculer";
import { collections } from "#services/identity/compose.ts";
import { admissionsService } from "#services/identity/admissions.service.ts";
import { tenantsService } from "#services/identity/tenants.service.ts";
import { defineContract } from "#shared/contracts/contract.ts";
import { implement } from "#shared/bus/service.ts";
import { turnClock } from "#shared/base/clock.ts";
import { audit } from "#shared/contracts/audit.ts";
import { tenants } from "#shared/contracts/identity/tenants.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { rawRequest, RawConnection } from "../../support/clients/raw-http.ts";
import { eventually } from "../../support/eventually.ts";
import { makeTenant, openPeople, type OpenedPeople, operator } from "../../support/identity/open-people.ts";
import { json } from "../../support/platform/probe-gateway.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

const secret = "a secret of the proxy and the platform";
const adapter = "services/gateway/identity-providers/forwarded.ts#ForwardedIdentity";
const session = "11111111-1111-4111-8111-111111111111";

/** A part that refuses by itself what the role of the caller allows. */
const guarded = defineContract("guarded", {
	command: {
		rest: "POST /sessions/:session_id/guarded",
		summary: "Refuses everybody",
		params: { session_id: { type: "uuid" } },
	},
});

interface Entered {
	readonly actor: { readonly id: string; readonly tenant: string };
	readonly action: string;
	readonly resource?: string;
	readonly reason?: string;
}

describe("gateway: known senders", function () {
	this.timeout(30_000);
	let opened: StoreUnderTest;
	let people: OpenedPeople;
	let gateway: TestGateway;
	let entered: Entered[] = [];

	async function start(limits: object = {}): Promise<void> {
		opened = await openEmbedded(collections);
		people = openPeople(opened.store);
		entered = [];
		await people.admission.provision(operator);
		await makeTenant(people, "globex");
		const { admission, directory } = people;
		const unused = async (): Promise<never> => {
			throw new TypeError("Nobody asks for this");
		};
		const log: ServiceSchema = {
			name: audit.name,
			actions: implement(audit, {
				list: unused,
				export: unused,
				enter: async (entry) => void entered.push(entry as Entered),
			}),
		};
		const refusing: ServiceSchema = {
			name: guarded.name,
			actions: implement(guarded, {
				async command() {
					throw new ForbiddenError("Only the owner of the session may do this", "OWNER_ONLY");
				},
			}),
		};
		gateway = await startGateway({
			contracts: [tenants, guarded],
			services: [
				admissionsService(admission, people.departures),
				tenantsService({ admission, directory, members: people.people }),
				log,
				refusing,
			],
			identity: { adapter, kwargs: { secret, names_tenants: true } },
			limits,
		});
	}

	afterEach(async () => {
		await gateway?.stop();
		await opened?.discard();
	});

	const claimsOf = (id: string, role: string, more: Record<string, string> = {}) => ({
		"x-auth-secret": secret,
		"x-auth-user-id": id,
		"x-auth-tenant": "acme",
		"x-auth-roles": role,
		...more,
	});
	const api = (headers: Record<string, string>) => new ApiClient(`http://${gateway.host}/api/v1/svc`, headers);

	it("leave an entry for each refusal, whatever part has refused them (Q8)", async () => {
		await start();
		const admin = claimsOf("mal", "admin");
		const requests = [
			() => api(claimsOf("vic", "viewer")).post("/tenants", { name: "x" }),
			() => api(admin).post(`/sessions/${session}/guarded`, {}),
			() => api({ ...admin, "atelier-tenant": "globex" }).get("/tenants"),
			() => api({ ...claimsOf("nemo", "viewer"), "x-auth-tenant": "default" }).get("/tenants"),
		];
		for (const request of requests) expect((await request()).status).to.equal(403);
		await eventually(() => entered.length === requests.length);
		expect(entered.map(({ actor, action, resource }) => [actor.id, actor.tenant, action, resource])).to.deep.equal([
			["vic", "acme", "tenants.create", undefined],
			["mal", "acme", "guarded.command", `sessions/${session}`],
			["mal", "acme", "tenants.list", undefined],
			["nemo", "default", "tenants.list", undefined],
		]);
		expect(entered[2]?.reason).to.include('"globex"');
	});

	it("count also when they are refused, for their role and before they have a tenant (Q12)", async () => {
		await start({ requests_per_second: 1, burst: 20 });
		const refused = [
			() => api(claimsOf("a", "viewer")).post("/tenants", { name: "x" }),
			(n: number) => api(claimsOf("b", "admin", { "atelier-tenant": `t${n}` })).get("/tenants"),
			() => api({ ...claimsOf("c", "viewer"), "x-auth-tenant": "default" }).get("/tenants"),
		];
		for (const request of refused) {
			const statuses: number[] = [];
			for (let n = 0; n < 60; n++) statuses.push((await request(n)).status);
			expect(statuses[0]).to.equal(403);
			expect(statuses.filter((status) => status === 429).length).to.be.above(10);
		}
		expect((await api(claimsOf("d", "viewer")).get("/tenants")).status, "control: somebody else").to.equal(200);
	});

	it("are not admitted again when their body comes late: the role that was taken stays taken (Q9)", async () => {
		await start();
		const at = { ms: 0 };
		const [wall, monotonic] = [Date.now(), performance.now()];
		expect((await api(claimsOf("vic", "viewer")).get("/tenants")).status).to.equal(200);
		const body = JSON.stringify({ user_id: "vic", role: "admin" });
		const path = "/api/v1/svc/tenants/acme/members";
		const whole = rawRequest(`POST ${path}`, { Host: gateway.host, ...json, ...claimsOf("ex", "admin") }, body);
		const connection = await RawConnection.open(gateway.port);
		const turnBack = turnClock({ now: () => wall + at.ms, monotonic: () => monotonic + at.ms });
		try {
			connection.write(whole.slice(0, whole.length - body.length + 1));
			await eventually(async () => (await people.admission.standing("ex", "acme"))?.roles.includes("admin") === true);
			await eventually(() => gateway.gateway.underWay === 1);
			at.ms += 1_500;
			expect((await api(claimsOf("ex", "viewer")).post("/tenants", { name: "x" })).status).to.equal(403);
			at.ms += 1_500;
			connection.write(body.slice(1));
			expect((await connection.answer()).status).to.equal(403);
			expect((await people.admission.standing("ex", "acme"))?.roles).to.deep.equal(["viewer"]);
			expect((await people.admission.standing("vic", "acme"))?.roles).to.deep.equal(["viewer"]);
		} finally {
			turnBack();
			connection.close();
		}
	});
});
