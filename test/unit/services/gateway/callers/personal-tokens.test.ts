import { expect } from "chai";
import { nextTurn, turnClock } from "#shared/base/clock.ts";
import type { StoredStanding } from "#shared/contracts/identity/admissions.ts";
import type { ActiveToken } from "#shared/contracts/pat/tokens.ts";
import { ForbiddenError, UnauthorizedError, UnavailableError } from "#shared/base/errors.ts";
import { LocalTokens } from "#shared/base/tokens/local-tokens.ts";
import { PersonalTokens } from "#services/gateway/callers/personal-tokens.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { tokenSpellings } from "../../../../support/hostile/token-spellings.ts";

const rememberedMs = 5_000;
const at0 = 1_800_000_000_000;
const year = 31_536_000;

describe("PersonalTokens", () => {
	const local = new LocalTokens(Buffer.alloc(32, 1));
	const claims = { sub: "alice", type: "pat", jti: "t1", iat: at0 / 1_000, exp: at0 / 1_000 + year };
	const text = local.sign(claims);
	const active: ActiveToken = {
		id: "t1",
		tenant: "acme",
		owner: "alice",
		scope: "write",
		expires_at: at0 + 1_000 * year,
	};
	let at: number;
	let restore: () => void;
	let asked: string[];
	let answer: () => Promise<ActiveToken | undefined>;
	let standing: StoredStanding | undefined;
	let tokens: PersonalTokens;

	beforeEach(() => {
		at = at0;
		restore = turnClock({ now: () => at, monotonic: () => at });
		asked = [];
		answer = async () => active;
		standing = { roles: ["admin", "developer"] };
		tokens = new PersonalTokens({
			trust: { claimsOf: (one) => local.verify(one), standingOf: async () => standing },
			clientId: undefined,
			rememberedMs,
			confirmedWithinMs: 30 * 86_400_000,
			ask: (key) => {
				asked.push(key);
				return answer();
			},
		});
	});
	afterEach(() => restore());

	it("asks once for many requests, and again when the answer is too old", async () => {
		for (let i = 0; i < 10; i++) await tokens.authenticate(text);
		expect(asked).to.have.length(1);
		at += rememberedMs - 1;
		await tokens.authenticate(text);
		expect(asked).to.have.length(1);
		at += 1;
		answer = async () => undefined;
		expect(await failureOf(tokens.authenticate(text))).to.be.instanceOf(UnauthorizedError);
		expect(asked).to.have.length(2);
	});

	it("counts the age of an answer from the question, and believes no answer to a question before a revocation", async () => {
		const slow = Promise.withResolvers<ActiveToken | undefined>();
		answer = () => slow.promise;
		const first = tokens.authenticate(text);
		while (asked.length === 0) await nextTurn();
		at += rememberedMs;
		answer = async () => undefined;
		expect(await failureOf(tokens.authenticate(text)), "its age").to.be.instanceOf(UnauthorizedError);
		slow.resolve(active);
		await first;
		expect(await failureOf(tokens.authenticate(text)), "after the late answer").to.be.instanceOf(UnauthorizedError);
	});

	it("forgets a token that was revoked, and never remembers that one is not active", async () => {
		await tokens.authenticate(text);
		tokens.forget(asked);
		answer = async () => undefined;
		for (let i = 0; i < 3; i++) expect(await failureOf(tokens.authenticate(text))).to.be.instanceOf(UnauthorizedError);
		answer = async () => active;
		expect(await tokens.authenticate(text)).to.include({ kind: "pat", id: "alice", tenant: "acme" });
	});

	it("refuses with 503 when nobody can say, and accepts nothing unchecked", async () => {
		answer = async () => {
			throw new ForbiddenError("no");
		};
		expect(await failureOf(tokens.authenticate(text))).to.be.instanceOf(UnavailableError);
		answer = async () => active;
		await tokens.authenticate(text);
	});

	it("gives the roles that the person has now, as far as the scope reaches", async () => {
		expect((await tokens.authenticate(text)).roles).to.deep.equal(["developer"]);
		standing = { roles: ["viewer"] };
		expect((await tokens.authenticate(text)).roles).to.deep.equal(["viewer"]);
		standing = undefined;
		expect(await failureOf(tokens.authenticate(text))).to.include({ type: "OWNER_GONE" });
	});

	it("ends with the membership in which it was made, and does not come back with the next one", async () => {
		standing = { roles: ["developer"], epoch: 0 };
		expect(await tokens.authenticate(text)).to.include({ tenant: "acme" });
		standing = { roles: ["developer"], epoch: 2 };
		expect(await failureOf(tokens.authenticate(text))).to.include({ type: "OWNER_GONE" });
		tokens.forget(asked);
		answer = async () => ({ ...active, epoch: 2 });
		expect(await tokens.authenticate(text)).to.include({ tenant: "acme" });
	});

	it("works only for some days after the last login of its person", async () => {
		standing = { roles: ["developer"], confirmed_at: at0 };
		at += 30 * 86_400_000;
		expect(await tokens.authenticate(text)).to.include({ tenant: "acme" });
		at += 1;
		const failure = await failureOf<UnauthorizedError>(tokens.authenticate(text));
		expect(failure).to.include({ type: "OWNER_UNCONFIRMED" });
		expect(failure.message).to.include("has not logged in for 30 days");
		standing = { roles: ["developer"], confirmed_at: at };
		expect(await tokens.authenticate(text), "after a login").to.include({ tenant: "acme" });
	});

	it("takes no other spelling, before and after it knows the token, and asks nobody about it", async () => {
		const spellings = tokenSpellings(text);
		const refused = async () => {
			for (const one of spellings)
				expect(await failureOf(tokens.authenticate(one)), one).to.be.instanceOf(UnauthorizedError);
		};
		await refused();
		expect(asked).to.deep.equal([]);
		await tokens.authenticate(text);
		await refused();
		expect(asked).to.have.length(1);
		const decodable = spellings.filter((one) => !tokens.claims(one));
		// Those whose payload no decoder reads are no token for the identity either.
		for (const one of decodable) expect(await local.verify(one), one).to.equal(undefined);
	});

	it("takes a token of another key, an expired one and a login for none", async () => {
		const other = new LocalTokens(Buffer.alloc(32, 2)).sign(claims);
		const expired = local.sign({ ...claims, exp: at0 / 1_000 - 60, iat: at0 / 1_000 - 120 });
		for (const one of [other, expired]) {
			expect(tokens.claims(one)).to.equal(true);
			expect(await failureOf(tokens.authenticate(one))).to.be.instanceOf(UnauthorizedError);
		}
		expect(tokens.claims("token-of-alice")).to.equal(false);
		expect(tokens.claims("a.b.c")).to.equal(false);
		expect(asked).to.deep.equal([]);
	});
});
