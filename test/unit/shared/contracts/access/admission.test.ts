import { expect } from "chai";
import { admit, rightFor, roleOf, rolesWithin } from "#shared/contracts/access/admission.ts";
import type { Access, AnyAction } from "#shared/contracts/contract.ts";
import { anonymous, type Principal, type PrincipalKind } from "#shared/base/principal.ts";
import { ForbiddenError, UnauthorizedError } from "#shared/base/errors.ts";

function by(kind: PrincipalKind, ...roles: string[]): Principal {
	return { kind, id: "x", tenant: "acme", roles };
}

type Needs = Pick<AnyAction, "access" | "effect" | "rest">;

const read = { rest: "GET /things" } as const;
const write = { rest: "POST /things" } as const;

const callers: Readonly<Record<string, Principal | undefined>> = {
	"no caller": undefined,
	viewer: by("user", "viewer"),
	developer: by("user", "developer"),
	"a user without roles": by("user"),
	admin: by("user", "viewer", "admin"),
	"a viewer's token": by("pat", "viewer"),
	"a developer's token": by("pat", "developer"),
	"an admin's token": by("pat", "admin"),
	pod: by("pod"),
	"a pod with roles": by("pod", "admin", "viewer"),
	job: by("system"),
};
const pods = ["pod", "a pod with roles"];
const administrators = ["admin", "an admin's token"];
const writers = ["developer", "a user without roles", "admin", "a developer's token", "an admin's token"];
const people = ["viewer", ...writers, "a viewer's token"];

describe("admit()", () => {
	const table: [string, Needs, readonly string[]][] = [
		["a public action", { ...read, access: "public" }, Object.keys(callers)],
		["a reading action", read, people],
		["a writing action", write, writers],
		["an action without a route", {}, writers],
		["a reading POST", { ...write, effect: "read" }, people],
		["a writing GET", { ...read, effect: "write" }, writers],
		[
			"a reading action for people who logged in",
			{ ...read, access: "login" },
			people.filter((one) => !/token/.test(one)),
		],
		["a reading action for administrators", { ...read, access: "admin" }, administrators],
		["a writing action for administrators", { ...write, access: "admin" }, administrators],
		["a report of pods and users", { ...write, access: "session" }, [...writers, ...pods]],
		["a report of pods", { ...write, access: "pod" }, pods],
		["a job's action", { access: "system" }, ["job"]],
	];
	for (const [what, action, expected] of table) {
		it(`admits to ${what}: ${expected.join(", ")}`, () => {
			const admitted = Object.keys(callers).filter((name) => isAdmitted(callers[name], action));
			expect(admitted).to.have.members([...expected]);
		});
	}

	function isAdmitted(principal: Principal | undefined, action: Needs): boolean {
		try {
			expect(admit(principal, action)).to.equal(principal ?? anonymous);
			return true;
		} catch (error) {
			expect(error).to.be.instanceOf(principal ? ForbiddenError : UnauthorizedError);
			return false;
		}
	}
});

describe("rightFor()", () => {
	it("is that of all routes: one that writes counts", () => {
		expect(rightFor({ rest: ["GET /a", "GET /b"] })).to.equal("read");
		expect(rightFor({ rest: ["GET /a", "POST /a"] })).to.equal("write");
	});

	for (const access of ["user", "login", "session"] satisfies Access[])
		it(`is to write for an action of the access "${access}" that says nothing`, () => {
			expect(rightFor({ access })).to.equal("write");
		});
});

describe("roleOf()", () => {
	it("is the strongest role; unknown names count as none", () => {
		expect(roleOf({ roles: ["viewer", "developer", "admin"] })).to.equal("admin");
		expect(roleOf({ roles: ["viewer", "developer"] })).to.equal("developer");
		expect(roleOf({ roles: ["viewer", "administrators"] })).to.equal("viewer");
		expect(roleOf({ roles: ["administrators"] })).to.equal("developer");
	});
});

describe("rolesWithin()", () => {
	for (const [scope, of] of [
		["read", { admin: "viewer", developer: "viewer", viewer: "viewer" }],
		["write", { admin: "developer", developer: "developer", viewer: "viewer" }],
		["admin", { admin: "admin", developer: "developer", viewer: "viewer" }],
	] as const)
		it(`bounds a token of the scope ${scope}`, () => {
			for (const [role, expected] of Object.entries(of))
				expect(roleOf({ roles: rolesWithin([role], scope) }), role).to.equal(expected);
		});

	it("makes an administrator who has no other role a developer", () => {
		expect(rolesWithin(["admin", "lead"], "write")).to.deep.equal(["lead"]);
	});
});
