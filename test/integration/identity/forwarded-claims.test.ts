/** The identity `forwarded` at the gateway: a proxy with the secret says who calls, and nobody behind the gateway sees it. */
import { expect } from "chai";
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { Admission } from "#services/identity/admissions/admission.ts";
import { admissionsService } from "#services/identity/admissions.service.ts";
import { collections } from "#services/identity/compose.ts";
import { RoleNames } from "#services/identity/directory/role-names.ts";
import { usersService } from "#services/identity/users.service.ts";
import { users } from "#shared/contracts/identity/users.ts";
import { stream } from "#shared/contracts/stream.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { openPeople } from "../../support/identity/open-people.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

const secret = "a secret of the proxy and the platform";
const adapter = "services/gateway/identity-providers/forwarded.ts#ForwardedIdentity";

for (const nodes of [1, 2] as const) {
	describe(`claims that a proxy forwards, with ${nodes} broker(s)`, function () {
		this.timeout(30_000);
		let opened: StoreUnderTest;
		let gateway: TestGateway;
		let admission: Admission;
		const seen: IncomingHttpHeaders[] = [];

		before(async () => {
			opened = await openEmbedded(collections);
			const people = openPeople(opened.store);
			({ admission } = people);
			const roleNames = new RoleNames("");
			gateway = await startGateway({
				nodes,
				contracts: [users, stream],
				services: [
					admissionsService(admission, people.departures),
					usersService({ admission, directory: people.people, roleNames }),
				],
				identity: { adapter, kwargs: { secret, names_tenants: true } },
				prepare({ rawHandlers }) {
					rawHandlers.set(stream.actions.open.name, (request, response) => {
						seen.push(request.headers);
						response.writeHead(200, { "content-type": "text/event-stream" });
						if (request.headers["x-stays"] === undefined) response.end();
						else response.write(": open\n\n");
					});
					return { services: [] };
				},
			});
		});
		after(async () => {
			await gateway?.stop();
			await opened?.discard();
		});

		function api(headers: Record<string, string>): ApiClient {
			return new ApiClient(`http://${gateway.host}/api/v1/svc`, headers);
		}

		const ofAda = {
			"x-auth-secret": secret,
			"x-auth-user-id": "ada",
			"x-auth-tenant": "acme",
			"x-auth-roles": "admin",
		};

		it("make a principal, a user and a member", async () => {
			const { status, body } = await api(ofAda).get<{ user_id: string }>("/me");
			expect(status).to.equal(200);
			expect(body).to.deep.include({ user_id: "ada", tenant_id: "acme", roles: ["admin", "developer"] });
			expect((await api(ofAda).get<{ id: string }[]>("/users")).body.map(({ id }) => id)).to.deep.equal(["ada"]);
			const bob = { ...ofAda, "x-auth-user-id": "bob", "x-auth-roles": "viewer" };
			expect((await api(bob).get("/users")).status).to.equal(403);
		});

		it("are worth nothing without the secret", async () => {
			const { "x-auth-secret": _secret, ...claims } = ofAda;
			for (const headers of [
				claims,
				{ ...claims, "x-auth-secret": "x" },
				{ ...claims, authorization: `Bearer ${secret}` },
			])
				expect((await api(headers).get("/me")).status).to.equal(401);
		});

		it("are refused when one of them came twice, so that no caller adds a role to those of the proxy", async () => {
			const statusOf = async (roles: string | string[]): Promise<number | undefined> => {
				const headers = { ...ofAda, "x-auth-user-id": "eve", "x-auth-roles": roles };
				const sent = httpRequest(`http://${gateway.host}/api/v1/svc/me`, { headers, agent: false }).end();
				const [answer] = (await once(sent, "response")) as [IncomingMessage];
				answer.resume();
				return answer.statusCode;
			};
			expect(await statusOf(["viewer", "admin"])).to.equal(401);
			expect(await statusOf("viewer, reader")).to.equal(200);
		});

		if (nodes === 1)
			it("of the first request end with newer ones on an open stream, which writes nothing back (P3)", async () => {
				const ofEx = { ...ofAda, "x-auth-user-id": "ex" };
				const sent = httpRequest(`http://${gateway.host}/api/v1/svc/sessions/stream`, {
					headers: { ...ofEx, "x-stays": "1" },
					agent: false,
				}).end();
				const [answer] = (await once(sent, "response")) as [IncomingMessage];
				let isOver = false;
				answer.on("error", () => {}).once("close", () => (isOver = true));
				answer.resume();
				expect((await api({ ...ofEx, "x-auth-roles": "viewer" }).get("/users")).status).to.equal(403);
				await eventually(() => isOver, { withinMs: 27_000, everyMs: 50, what: "the stream of the administrator ends" });
				expect((await admission.standing("ex", "acme"))?.roles).to.deep.equal(["viewer"]);
			});

		it("are gone from the request before anything else can read them", async () => {
			seen.length = 0;
			await api({ ...ofAda, "x-forwarded-user": "root", "x-other": "1" }).get("/sessions/stream");
			expect(seen).to.have.length(1);
			expect(seen[0]).to.include({ "x-other": "1" });
			expect(
				Object.keys(seen[0] ?? {}).filter((name) => /auth|user/.test(name.replace("user-agent", ""))),
			).to.deep.equal([]);
		});
	});
}
