import { expect } from "chai";
import {
	isAllowed,
	mayUseSession,
	type ObjectKind,
	type Ownership,
	ownershipOf,
	relationTo,
	seesWholeTenant,
	type SessionAction,
} from "#shared/contracts/access/access-table.ts";
import type { Principal, PrincipalKind } from "#shared/base/principal.ts";

const session = { id: "s1", tenant_id: "acme", owner_id: "alice" };
const ownership = ownershipOf(session);
const unowned: Ownership = { ...ownership, owner: null };

function principal(kind: PrincipalKind, id: string, tenant: string, roles: string[] = []): Principal {
	return { kind, id, tenant, roles };
}

const actions: SessionAction[] = ["see", "see-deleted", "manage", "command-agent", "report", "report-usage"];

describe("mayUseSession()", () => {
	const all: readonly SessionAction[] = ["see", "manage", "command-agent", "report", "report-usage"];
	for (const [who, by, owned, ofNobody] of [
		["a job of the platform", principal("system", "relay", ""), ["see", "see-deleted"], ["see", "see-deleted"]],
		[
			"the session's own pod",
			principal("pod", "s1", ""),
			["see", "report", "report-usage"],
			["see", "report", "report-usage"],
		],
		["the pod of another session", principal("pod", "s2", ""), [], []],
		["a pod whose id is the owner's name", principal("pod", "alice", "acme"), [], []],
		["a pod with the role of an administrator", principal("pod", "s2", "acme", ["admin"]), [], []],
		["the owner", principal("user", "alice", "acme"), all, []],
		["the owner by a token", principal("pat", "alice", "acme"), all, []],
		["the owner, who is an administrator", principal("user", "alice", "acme", ["admin"]), all, all],
		["an administrator", principal("user", "root", "acme", ["admin"]), ["see", "manage"], all],
		["an administrator by a token", principal("pat", "root", "acme", ["developer", "admin"]), ["see", "manage"], all],
		["another user", principal("user", "bob", "acme", ["developer"]), [], []],
		["a user of the owner's name in another tenant", principal("user", "alice", "other"), [], []],
		["an administrator of another tenant", principal("user", "root", "other", ["admin"]), [], []],
		["nobody in particular", principal("anonymous", "alice", "acme", ["admin"]), [], []],
	] as const) {
		const names = (list: readonly string[]): string => (list.length === 0 ? "nothing" : list.join(", "));
		it(`allows ${who}: ${names(owned)}; without an owner: ${names(ofNobody)}`, () => {
			expect(actions.filter((action) => mayUseSession(by, action, ownership))).to.deep.equal(owned);
			expect(actions.filter((action) => mayUseSession(by, action, unowned))).to.deep.equal(ofNobody);
		});
	}

	it("treats an unknown tenant as that of nobody", () => {
		expect(mayUseSession(principal("user", "alice", ""), "see", { session: "s1", owner: "alice" })).to.equal(false);
	});
});

type TenantsKind = Exclude<ObjectKind, "session" | "installation">;

describe("isAllowed()", () => {
	const ofAlice = { tenant: "acme", owner: "alice" };
	const ofNobody = { tenant: "acme", owner: null };
	const people = {
		owner: principal("user", "alice", "acme"),
		administrator: principal("user", "root", "acme", ["admin"]),
		colleague: principal("user", "bob", "acme"),
		stranger: principal("user", "alice", "other", ["admin"]),
		pod: principal("pod", "alice", "acme", ["admin"]),
		nobody: principal("anonymous", "alice", "acme"),
	};
	/** Those who may see and those who may change it, by kind. */
	const expected: Readonly<Record<TenantsKind, readonly [string, string]>> = {
		workspace: ["owner administrator", "owner administrator"],
		"merge-evaluation": ["owner administrator", "owner administrator"],
		prompt: ["owner administrator colleague", "owner"],
		mapping: ["owner administrator colleague", "owner administrator"],
		preset: ["owner", "owner"],
		profile: ["owner", "owner"],
		credential: ["owner", "owner"],
		connection: ["owner", "owner"],
		token: ["owner", "owner"],
		user: ["owner administrator", "owner administrator"],
		tenant: ["owner administrator colleague", "owner administrator"],
		"tenant-credential": ["owner administrator colleague", "owner administrator"],
	};
	for (const [kind, [see, change]] of Object.entries(expected) as [TenantsKind, [string, string]][]) {
		const those = (action: "see" | "change", ownership: Ownership): string =>
			Object.entries(people)
				.filter(([, by]) => isAllowed(by, action, kind, ownership))
				.map(([name]) => name)
				.join(" ");
		it(`lets see a ${kind}: ${see}; change it: ${change}`, () => {
			expect([those("see", ofAlice), those("change", ofAlice)]).to.deep.equal([see, change]);
		});

		it(`lets only administrators change a ${kind} of nobody`, () => {
			expect(those("change", ofNobody)).to.equal("administrator");
		});
	}
});

describe("isAllowed() of a prompt", () => {
	it("lets administrators delete the words of somebody else, which they do not change (Q11)", () => {
		const ofAlice = { tenant: "acme", owner: "alice" };
		const may = (id: string, roles: string[]) =>
			(["change", "delete"] as const).filter((action) =>
				isAllowed(principal("user", id, "acme", roles), action, "prompt", ofAlice),
			);
		expect([may("alice", []), may("root", ["admin"]), may("bob", [])]).to.deep.equal([
			["change", "delete"],
			["delete"],
			[],
		]);
	});
});

describe("relationTo()", () => {
	it("does not treat an absent owner as nobody: only null means that nobody owns a session", () => {
		const admin = principal("user", "root", "acme", ["admin"]);
		expect(relationTo(admin, { session: "s1", tenant: "acme" })).to.equal("administrator");
		expect(relationTo(admin, unowned)).to.equal("owner");
	});
});

describe("the installation", () => {
	it("has no relation to anybody but the administrators of the operators' tenant", () => {
		const callers = {
			operator: principal("user", "olga", "default", ["admin"]),
			"operator by a token": principal("pat", "olga", "default", ["admin"]),
			"developer of the same tenant": principal("user", "dan", "default", ["developer"]),
			"administrator of another tenant": principal("user", "eve", "evil", ["admin"]),
			"pod that claims a role": principal("pod", "s1", "default", ["admin"]),
			nobody: principal("anonymous", "olga", "default", ["admin"]),
		};
		for (const action of ["see-secrets", "see-folders", "use-folders"] as const) {
			const those = Object.entries(callers).filter(([, by]) =>
				isAllowed(by, action, "installation", { operators: "default" }),
			);
			expect(those.map(([name]) => name)).to.deep.equal(["operator", "operator by a token"]);
		}
	});
});

describe("seesWholeTenant()", () => {
	it("is true for administrators only", () => {
		expect(seesWholeTenant(principal("user", "root", "acme", ["admin"]))).to.equal(true);
		expect(seesWholeTenant(principal("user", "alice", "acme", ["developer"]))).to.equal(false);
		expect(seesWholeTenant(principal("pod", "s1", ""))).to.equal(false);
	});
});
