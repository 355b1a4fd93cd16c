import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { type Caller, expectedOutcome, maySee } from "../../../../cli/doctor/caller.ts";
import { administrators, everybody, loggedIn, people, pods, reporters, those } from "../../../../cli/doctor/row.ts";

function caller(kind: Principal["kind"], id: string, tenant: string, ...roles: string[]): Caller {
	return { name: id, headers: {}, principal: { kind, id, tenant, roles } };
}

const callers = {
	owner: caller("user", "alice", "acme"),
	viewer: caller("user", "alice", "acme", "viewer"),
	admin: caller("user", "root", "acme", "admin"),
	colleague: caller("user", "bob", "acme"),
	stranger: caller("user", "carol", "other", "admin"),
	pod: caller("pod", "s1", ""),
	stale: { ...caller("pod", "s1", ""), isStale: true },
	impostor: { name: "impostor", headers: {} },
} satisfies Record<string, Caller>;

const session = { session: "s1", tenant: "acme", owner: "alice" };

const table = {
	"GET a public thing": [everybody(), "admitted admitted admitted admitted admitted admitted admitted admitted"],
	"GET a list": [people(), "admitted admitted admitted admitted admitted forbidden forbidden unauthenticated"],
	"POST a thing": [people(), "admitted forbidden admitted admitted admitted forbidden forbidden unauthenticated"],
	"GET the own tokens": [
		loggedIn(),
		"admitted admitted admitted admitted admitted forbidden forbidden unauthenticated",
	],
	"GET a setting": [
		administrators(),
		"forbidden forbidden admitted forbidden admitted forbidden forbidden unauthenticated",
	],
	"GET a session": [those("session"), "admitted admitted admitted unknown unknown forbidden forbidden unauthenticated"],
	"POST a message": [
		those("session"),
		"admitted forbidden forbidden unknown unknown forbidden forbidden unauthenticated",
	],
	"GET a chat": [
		those("session", { action: "command-agent", effect: "write" }),
		"admitted forbidden forbidden unknown unknown forbidden forbidden unauthenticated",
	],
	"POST an activity": [reporters(), "admitted forbidden forbidden unknown unknown admitted stale unauthenticated"],
	"POST a stop": [
		those("session", { action: "manage" }),
		"admitted forbidden admitted unknown unknown forbidden forbidden unauthenticated",
	],
	"POST a usage": [
		reporters({ action: "report-usage" }),
		"admitted forbidden forbidden unknown unknown admitted admitted unauthenticated",
	],
	"POST a history": [pods(), "forbidden forbidden forbidden forbidden forbidden admitted stale unauthenticated"],
	"PUT a prompt": [
		those("prompt"),
		"admitted forbidden forbidden forbidden unknown forbidden forbidden unauthenticated",
	],
} as const;

describe("expectedOutcome()", () => {
	for (const [request, [row, expected]] of Object.entries(table))
		it(`follows the tables of access for ${request}`, () => {
			const found = Object.values(callers).map((one) => expectedOutcome(one, row, request, session));
			expect(found.join(" ")).to.equal(expected);
		});
});

describe("maySee()", () => {
	it("is false for a caller whose credential is invalid", () => {
		expect(maySee(callers.impostor, "session", session)).to.equal(false);
		expect(maySee(callers.owner, "session", session)).to.equal(true);
	});
});
