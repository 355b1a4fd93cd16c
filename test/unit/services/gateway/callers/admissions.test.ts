import { expect } from "chai";
import { Admissions } from "#services/gateway/callers/admissions.ts";
import type { Caller } from "#shared/bus/service.ts";
import { turnClock } from "#shared/base/clock.ts";
import { ForbiddenError, UnavailableError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const ada = { id: "ada", tenant: "acme" };

describe("admissions of a gateway", () => {
	let at: number;
	let restore: () => void;
	let asked: string[];
	let answer: () => Promise<unknown>;
	let admissions: Admissions;

	beforeEach(() => {
		at = 0;
		restore = turnClock({ now: () => at, monotonic: () => at });
		asked = [];
		answer = async () => ({ tenant: "acme", roles: ["viewer"] });
		const caller: Caller = {
			call: async <R>(action: string) => {
				asked.push(action);
				return (await answer()) as R;
			},
		};
		admissions = new Admissions(() => caller);
	});
	afterEach(() => restore());

	it("are asked for once in five seconds, for each description of a person", async () => {
		const all = await Promise.all(Array.from({ length: 50 }, () => admissions.admit(ada)));
		expect(all[0]).to.deep.equal({ kind: "user", id: "ada", tenant: "acme", roles: ["viewer"] });
		expect(asked).to.deep.equal(["admissions.admit"]);
		at = 4_999;
		await admissions.admit(ada);
		expect(asked).to.have.length(1);
		await admissions.admit({ ...ada, roles: ["admin"] });
		expect(asked).to.have.length(2);
		at = 5_000;
		await admissions.admit(ada);
		expect(asked).to.have.length(3);
	});

	it("fail closed after that, and a refusal is asked again at once", async () => {
		await admissions.admit(ada);
		answer = () => Promise.reject(new UnavailableError("The store does not answer"));
		at = 5_000;
		expect(await failureOf(admissions.admit(ada))).to.be.instanceOf(UnavailableError);
		answer = () => Promise.reject(new ForbiddenError("No member"));
		expect(await failureOf(admissions.admit(ada))).to.be.instanceOf(ForbiddenError);
		answer = async () => ({ tenant: "acme", roles: ["developer"] });
		expect((await admissions.admit(ada)).roles).to.deep.equal(["developer"]);
		expect(await failureOf(new Admissions(() => undefined).admit(ada))).to.be.instanceOf(UnavailableError);
	});

	it("tell the stored roles of a person, and nothing for others", async () => {
		answer = async () => ({ roles: ["viewer"] });
		expect(await admissions.standing(ada)).to.deep.equal({ roles: ["viewer"] });
		answer = async () => ({ roles: null });
		expect(await admissions.standing({ ...ada, id: "eve" })).to.equal(undefined);
		expect(asked).to.deep.equal(["admissions.standing", "admissions.standing"]);
	});

	it("read the stored membership of a person who is connected, and write nothing", async () => {
		const known = { kind: "user", ...ada, roles: ["admin"], epoch: 1 } as const;
		answer = async () => ({ roles: ["viewer"], epoch: 1, confirmed_at: 1 });
		expect(await admissions.readmit(known)).to.deep.equal({ ...known, roles: ["viewer"] });
		at = 5_000;
		answer = async () => ({ roles: null });
		expect(await failureOf(admissions.readmit(known))).to.include({ type: "NOT_A_MEMBER" });
		expect(new Set(asked)).to.deep.equal(new Set(["admissions.standing"]));
	});

	it("are asked for each tenant that requests name", async () => {
		await admissions.admit(ada);
		await admissions.admit(ada, "other");
		await admissions.admit(ada, "other");
		expect(asked).to.have.length(2);
	});
});
