/** The caller of a request, and what each caller may reach. */
import { expect } from "chai";
import { anonymous } from "#shared/base/principal.ts";
import { VouchedPrincipal } from "#shared/bus/vouched-principal.ts";
import { otherUser } from "../../support/hostile/other-user.ts";
import { rawRequest } from "../../support/clients/raw-http.ts";
import { good, json, ProbeGateway, thing, thingId as id } from "../../support/platform/probe-gateway.ts";

const otherId = "6f1b2c3d-0000-4000-8000-000000000002";

describe("gateway: callers", () => {
	const gateway = new ProbeGateway();
	const { service } = gateway;
	// The next good request succeeds after any refusal.
	afterEach(() => gateway.seenBy(`GET ${thing}`));

	describe("authentication", () => {
		it("treats a caller without a token as the developer, and identifies other people by their tokens", async () => {
			expect((await gateway.seenBy(`GET ${thing}`)).principal).to.deep.equal({
				kind: "user",
				id: "dev-user",
				tenant: "default",
				roles: ["admin", "developer"],
			});
			const { principal } = await gateway.seenBy(`GET ${thing}`, { Authorization: "bearer token-of-carol" });
			expect(principal).to.deep.equal({ kind: "user", id: "carol", tenant: "other", roles: ["admin"] });
		});

		for (const authorization of ["Bearer nobody", "Bearer", "Basic YWxpY2U6eA==", "token-of-alice", "Bearer a b", ""]) {
			it(`refuses "${authorization}"`, async () => {
				const answer = await gateway.send(`GET ${thing}`, { Authorization: authorization });
				await gateway.expectDetail(answer, 401, "Authentication required");
				expect(answer.headers["www-authenticate"]).to.equal("Bearer");
				expect(answer.headers["x-error-code"]).to.equal("UNAUTHORIZED");
			});
		}

		it("does not treat a program of another user as the developer (H1; if root may start one)", async function () {
			const stranger = await otherUser();
			if (!stranger) this.skip();
			const request = (headers: Record<string, string> = {}) =>
				rawRequest(`POST ${thing}`, { Host: gateway.host, ...json, Connection: "close", ...headers }, good);
			const refused = await stranger.send(gateway.port, request());
			expect(refused)
				.to.match(/^HTTP\/1.1 403 /)
				.and.include("X-Error-Code: FOREIGN_USER");
			expect(refused).to.include("runs as another user than the platform");
			expect(await stranger.send(gateway.port, request({ "X-User-Id": "dev-user" }))).to.match(/^HTTP\/1.1 403 /);
			const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
			const chat = { Host: gateway.host, ...upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };
			expect(await stranger.send(gateway.port, rawRequest(`GET /s/${id}/session`, chat))).to.match(/^HTTP\/1.1 403 /);
			for (let round = 0; round < 5; round++) await stranger.sendAndGo(gateway.port, request());
			expect((await gateway.send(`GET ${thing}`)).status).to.equal(200);
			expect(service.seen).to.have.length(1);
			// A caller with a token is identified by it, and may also use public routes.
			expect(await stranger.send(gateway.port, request({ Authorization: "Bearer token-of-alice" }))).to.match(/ 201 /);
			expect(
				await stranger.send(gateway.port, rawRequest("GET /open", { Host: gateway.host, Connection: "close" })),
			).to.match(/ 200 /);
		});

		it("ignores everything else that a request says about its sender", async () => {
			const claims = {
				"X-User-Id": "root",
				"X-Auth-Roles": "admin",
				"X-Forwarded-User": "root",
				"X-Forwarded-For": "127.0.0.1",
				Cookie: "token=token-of-carol",
				Authorization: "Bearer token-of-alice",
			};
			const { principal, meta } = await gateway.seenBy(`GET ${thing}?token=token-of-carol&principal=x`, claims);
			expect(principal.id).to.equal("alice");
			expect(Object.keys(meta).sort()).to.deep.equal(["address", "deadline", "principal", "request_id", "warnings"]);
			expect(meta.address).to.equal("127.0.0.1");
			expect(VouchedPrincipal.read(meta.principal)?.id).to.equal("alice");
		});

		it("refuses an unauthorised caller before it reads the body", async () => {
			const answer = await gateway.send("GET /api/v1/svc/admin", { Authorization: "Bearer token-of-alice" });
			await gateway.expectDetail(answer, 403, "Administrator role required");
			const body = await gateway.send(`POST ${thing}`, { Authorization: "Bearer nobody", ...json }, "{{{");
			expect(body.status).to.equal(401);
		});

		it("needs no principal for public routes", async () => {
			for (const headers of [{}, { Authorization: "Bearer token-of-carol" }, { Authorization: "Bearer nobody" }]) {
				const { principal, meta } = await gateway.seenBy("GET /open", headers);
				expect([principal, meta.principal]).to.deep.equal([anonymous, undefined]);
			}
		});
	});

	describe("session pods", () => {
		const report = `POST /api/v1/svc/sessions/${id}/report`;
		const token = (session = id, generation = 3) => `Bearer ${gateway.platform.key.podToken(session, generation)}`;

		it("are known by the key of their launch", async () => {
			const pod = { kind: "pod", id, generation: 3, tenant: "", roles: [] };
			for (const line of [report, report.replace("report", "activity")]) {
				expect((await gateway.seenBy(line, { Authorization: token() })).principal).to.deep.equal(pod);
			}
		});

		it("are refused with a key that is not theirs", async () => {
			const [right = ""] = token().split("Bearer ").slice(1);
			const parts = right.split("_");
			for (const wrong of [
				`${right.slice(0, -1)}${right.endsWith("A") ? "B" : "A"}`,
				right.slice(0, -1),
				`${right}A`,
				right.replace(id, otherId),
				right.replace("_3_", "_4_"),
				right.replace("_3_", "_03_"),
				["svcs", id, "-3", parts[3]].join("_"),
				"svcs_",
				"svcs_x_1_y",
			]) {
				await gateway.expectDetail(
					await gateway.send(report, { Authorization: `Bearer ${wrong}` }),
					401,
					"Authentication required",
				);
			}
		});

		it("find no session but their own, whether it exists or not", async () => {
			const answer = await gateway.send(report.replace(id, otherId), { Authorization: token() });
			await gateway.expectDetail(answer, 404, "The key of a pod finds no session but its own");
		});

		it("reach only the routes for pods, which nobody else reaches", async () => {
			const refusal = "This credential is not meant for this action";
			for (const line of [`GET ${thing}`, "GET /api/v1/svc/things", "GET /api/v1/svc/admin"]) {
				await gateway.expectDetail(await gateway.send(line, { Authorization: token() }), 403, refusal);
			}
			await gateway.expectDetail(await gateway.send(report), 403, refusal);
		});
	});
});
