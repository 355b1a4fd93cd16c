import { expect } from "chai";
import { Authenticator } from "#services/gateway/callers/authenticate.ts";
import type { IdentityProvider } from "#services/gateway/callers/identity-provider.ts";
import { HttpError } from "#services/gateway/http/http-errors.ts";
import { defineContract } from "#shared/contracts/contract.ts";
import { anonymous } from "#shared/base/principal.ts";
import { ForbiddenError, UnauthorizedError } from "#shared/base/errors.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { alice, root } from "../../../../support/bus/test-brokers.ts";
import { noTokens } from "../../../../support/platform/no-tokens.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const id = "6f1b2c3d-0000-4000-8000-000000000001";
const otherId = "6f1b2c3d-0000-4000-8000-000000000002";
const key = new InstallationKey(Buffer.alloc(32, 7));

const spec = { summary: "A test", params: {} } as const;
const { open, people, administrators, pods } = defineContract("things", {
	open: { ...spec, access: "public" },
	people: spec,
	administrators: { ...spec, access: "admin" },
	pods: { ...spec, access: "pod" },
}).actions;

/** Knows two people by their tokens, and remembers which tokens it was asked about. */
class TwoPeople implements IdentityProvider {
	readonly loopbackOnly = true;
	readonly asked: unknown[] = [];

	async authenticate({ authorization }: { authorization?: string | undefined }) {
		this.asked.push(authorization);
		if (authorization === "Bearer alice") return alice;
		if (authorization === "Bearer claimed") return { kind: "claimed", person: { id: "clara" } } as const;
		return authorization === "Bearer root" ? root : undefined;
	}
}

describe("Authenticator", () => {
	const identity = new TwoPeople();
	const authenticator = new Authenticator({
		identity,
		key,
		tokens: noTokens,
		admissions: {
			admit: async ({ id }, wanted) => ({ ...alice, id, roles: ["developer"], tenant: wanted ?? alice.tenant }),
			readmit: async (known) => ({ ...known, roles: ["stored"] }),
		},
	});
	beforeEach(() => void (identity.asked.length = 0));

	function authenticated(token: string | undefined, action: typeof people | typeof pods, path = {}) {
		const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
		return authenticator.authenticate({ headers, connection: {}, path }, action);
	}

	it("knows people by the identity provider, and asks nobody for a public action", async () => {
		expect(await authenticated("alice", people)).to.equal(alice);
		expect(await authenticated("root", administrators)).to.equal(root);
		expect(identity.asked).to.have.length(2);
		expect(await authenticated("alice", open)).to.equal(anonymous);
		expect(identity.asked).to.have.length(2);
	});

	it("takes tenant and roles of an identified person from the admission", async () => {
		expect(await authenticated("claimed", people)).to.deep.equal({ ...alice, id: "clara", roles: ["developer"] });
		expect(await failureOf(authenticated("claimed", administrators))).to.be.instanceOf(ForbiddenError);
	});

	it("looks again at the stored rights of a caller who stays connected, and not at the claims of the first request", async () => {
		const claim = { headers: { authorization: "Bearer claimed" }, connection: {}, path: {} };
		const first = await authenticator.authenticate(claim, people);
		const again = await authenticator.authenticate(claim, people, { known: { ...first, roles: ["admin"] } });
		expect(again.roles).to.deep.equal(["stored"]);
	});

	it("lets a request name one of the caller's tenants, and refuses another one to those who have one only", async () => {
		const named = (token: string, tenant: string) =>
			authenticator.authenticate(
				{ headers: { authorization: `Bearer ${token}`, "atelier-tenant": tenant }, connection: {}, path: {} },
				people,
			);
		expect((await named("claimed", Buffer.from("Özel").toString("latin1"))).tenant).to.equal("Özel");
		expect(await named("alice", alice.tenant)).to.equal(alice);
		expect(await failureOf(named("alice", "other"))).to.include({ type: "NOT_A_MEMBER" });
	});

	it("refuses people that nobody knows, and those an action is not for", async () => {
		expect(await failureOf(authenticated("nobody", people))).to.be.instanceOf(UnauthorizedError);
		expect(await failureOf(authenticated(undefined, people))).to.be.instanceOf(UnauthorizedError);
		expect(await failureOf(authenticated("alice", administrators))).to.be.instanceOf(ForbiddenError);
		expect(await failureOf(authenticated("alice", pods))).to.be.instanceOf(ForbiddenError);
	});

	it("knows a pod by its own token, which no identity provider sees", async () => {
		const pod = await authenticated(key.podToken(id, 3), pods, { session_id: id });
		expect(pod).to.deep.equal({ kind: "pod", id, generation: 3, tenant: "", roles: [] });
		expect(identity.asked).to.deep.equal([]);
	});

	it("refuses every other token of that form", async () => {
		const token = key.podToken(id, 3);
		const odd = [
			token.replace("_3_", "_4_"),
			token.replace(id, otherId),
			token.slice(0, -1),
			`${token}A`,
			new InstallationKey(Buffer.alloc(32, 8)).podToken(id, 3),
			"svcs_",
			`svcs_${id}_3_${"A".repeat(43)}`,
		];
		for (const wrong of odd)
			expect(await failureOf(authenticated(wrong, pods)), wrong).to.be.instanceOf(UnauthorizedError);
		expect(identity.asked).to.deep.equal([]);
	});

	it("shows a pod no session but its own, by either name of the contract", async () => {
		for (const path of [{ session_id: otherId }, { chronicle_id: otherId }]) {
			const refused = await failureOf<HttpError>(authenticated(key.podToken(id, 3), pods, path));
			expect(refused).to.be.instanceOf(HttpError);
			expect(refused.answer.status).to.equal(404);
		}
		for (const path of [{ session_id: id }, { chronicle_id: id }, {}])
			expect(await authenticated(key.podToken(id, 3), pods, path)).to.include({ kind: "pod", id });
	});
});
