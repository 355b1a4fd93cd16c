/**
 * Random histories of homes, grants, roles and removals: no act of an administrator changes where somebody acts whose
 * requests name no tenant, but the removal from that very tenant.
 */
import { expect } from "chai";
import { collections } from "#services/identity/compose.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ServiceError } from "#shared/base/errors.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import {
	administratorOf,
	makeTenant,
	openPeople,
	type OpenedPeople,
	operator,
} from "../../support/identity/open-people.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

/** The tenants that an administrator of each of them reaches. */
const reached: Readonly<Record<string, readonly string[]>> = {
	corp: ["corp", "lobby", "lab"],
	lobby: ["lobby"],
	globex: ["globex"],
};
const tenants = ["corp", "lobby", "lab", "globex"] as const;
const roles = ["viewer", "developer", "admin"] as const;

/** Returns numbers from 0 to below a bound, always the same ones for a seed (mulberry32). */
function numbersOf(seed: number): (bound: number) => number {
	let state = seed;
	return (bound) => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % bound;
	};
}

/** Whether an act may end where somebody acts: the removal from that tenant by an administrator who reaches it. */
function isRemoval({
	own,
	tenant,
	role,
	before,
}: Record<"own" | "tenant" | "role" | "before", string | undefined>): boolean {
	return role === undefined && before === tenant && reached[own ?? ""]?.includes(tenant ?? "") === true;
}

describe("people with a home", function () {
	this.timeout(60_000);
	let opened: StoreUnderTest;
	let one: OpenedPeople;

	beforeEach(async () => {
		opened = await openEmbedded(collections);
		one = openPeople(opened.store, { home: "lobby" });
		await one.admission.provision(operator);
		await makeTenant(one, "corp");
		await makeTenant(one, "lobby", "corp");
		await makeTenant(one, "lab", "corp");
		await makeTenant(one, "globex");
	});
	afterEach(() => opened.discard());

	/** Returns where somebody acts without a choice; undefined for nowhere. */
	async function placeOf(id: string, wanted?: string): Promise<string | undefined> {
		try {
			return (await one.admission.admit({ id }, wanted)).tenant;
		} catch (error) {
			if (error instanceof ServiceError) return undefined;
			throw error;
		}
	}

	/** Does one thing to a membership; whether it was allowed does not matter. */
	async function act(
		by: Principal,
		tenant: string,
		id: string,
		role: (typeof roles)[number] | undefined,
	): Promise<void> {
		const work = role === undefined ? one.people.remove(by, tenant, id) : one.people.add(by, tenant, id, role);
		await work.catch((error: unknown) => {
			if (!(error instanceof ServiceError)) throw error;
		});
	}

	it("are not drawn back into it by its administrator, and stay operators (Q5)", async () => {
		for (const id of ["bob", "olga"]) expect(await placeOf(id)).to.equal("lobby");
		await one.people.add(operator, "globex", "bob", "developer");
		await one.people.add(operator, "default", "olga", "admin");
		const carl = administratorOf("lobby");
		await one.people.add(carl, "lobby", "bob", "developer");
		await one.people.add(carl, "lobby", "olga", "viewer");
		expect([await placeOf("bob"), await placeOf("olga")]).to.deep.equal(["globex", "default"]);
		expect(await placeOf("bob", "lobby"), "by a choice of the person").to.equal("lobby");
	});

	it("stay in it when an administrator above adds them elsewhere, and removes them again (Q5)", async () => {
		await placeOf("bob");
		const boss = administratorOf("corp");
		await one.people.add(boss, "lab", "bob", "viewer");
		expect([await placeOf("bob"), await placeOf("bob", "lab")]).to.deep.equal(["lobby", "lab"]);
		await one.people.remove(boss, "lab", "bob");
		expect(await placeOf("bob")).to.equal("lobby");
		await one.people.add(operator, "globex", "bob", "viewer");
		expect(await placeOf("bob"), "an operator moves people").to.equal("globex");
		await one.people.remove(boss, "lobby", "bob");
		await failureOf(one.people.remove(boss, "globex", "bob"));
		expect(await placeOf("bob")).to.equal("globex");
	});

	for (let seed = 1; seed <= 8; seed++)
		it(`are moved by no act of an administrator, history ${seed} (Q5)`, async () => {
			const number = numbersOf(seed);
			const pick = <T>(list: readonly T[]): T => list[number(list.length)] as T;
			let moved = 0;
			for (let step = 0; step < 150; step++) {
				const id = pick(["bob", "dan", "eve"]);
				const tenant = pick(tenants);
				const role = number(3) === 0 ? undefined : pick(roles);
				if (number(3) === 0) {
					await act(operator, tenant, id, role);
					await placeOf(id, number(2) === 0 ? undefined : tenant);
					continue;
				}
				const own = pick(Object.keys(reached));
				const before = await placeOf(id);
				await act(administratorOf(own), tenant, id, role);
				const after = await placeOf(id);
				const isOwn = before === undefined || isRemoval({ own, tenant, role, before });
				if (after !== before) moved++;
				if (!isOwn) expect(after, `step ${step}: ${own} ${role ?? "removes"} ${id} ${tenant}`).to.equal(before);
			}
			expect(moved, "control: some acts did move people").to.be.above(0);
		});
});
