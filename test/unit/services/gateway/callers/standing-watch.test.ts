import { expect } from "chai";
import { StandingWatch } from "#services/gateway/callers/standing-watch.ts";
import type { Principal } from "#shared/base/principal.ts";
import { turnClock } from "#shared/base/clock.ts";
import { ForbiddenError, UnauthorizedError, UnavailableError } from "#shared/base/errors.ts";
import { eventually } from "../../../../support/eventually.ts";

const ada: Principal = { kind: "user", id: "ada", tenant: "acme", roles: ["admin"] };

describe("the watch over connections that stay open", () => {
	let watch: StandingWatch;
	let ended: string[];
	let checks: number;

	beforeEach(() => {
		watch = new StandingWatch({ intervalMs: 5 });
		ended = [];
		checks = 0;
	});
	afterEach(() => watch.stop());

	function add(name: string, authenticate: () => Promise<Principal>): () => void {
		return watch.add({
			principal: ada,
			authenticate: async () => {
				checks++;
				return authenticate();
			},
			end: () => ended.push(name),
		});
	}

	it("ends those whose caller is refused now, or has other rights, once each", async () => {
		add("fine", async () => ({ ...ada }));
		add("expired", () => Promise.reject(new UnauthorizedError()));
		add("removed", () => Promise.reject(new ForbiddenError("No member")));
		add("demoted", async () => ({ ...ada, roles: ["viewer"] }));
		add("moved", async () => ({ ...ada, tenant: "other" }));
		await eventually(() => ended.length >= 4 && checks > 20);
		expect(ended).to.have.members(["expired", "removed", "demoted", "moved"]).and.to.have.length(4);
	});

	it("gives claims without an end one, and other credentials none", async () => {
		let at = 0;
		const restore = turnClock({ now: () => at, monotonic: () => at });
		await using bounded = {
			watch: new StandingWatch({ intervalMs: 5, claimsLastMs: 300_000 }),
			[Symbol.asyncDispose]: () => bounded.watch.stop(),
		};
		try {
			const pod: Principal = { kind: "pod", id: "s", generation: 1, tenant: "", roles: [] };
			for (const principal of [ada, pod]) {
				const authenticate = async () => (checks++, { ...principal });
				bounded.watch.add({ principal, authenticate, end: () => ended.push(principal.kind) });
			}
			at = 300_000;
			await eventually(() => checks > 6);
			expect(ended).to.deep.equal([]);
			at += 1;
			await eventually(() => ended.length > 0);
			checks = 0;
			await eventually(() => checks > 3);
			expect(ended).to.deep.equal(["user"]);
		} finally {
			restore();
		}
	});

	it("does not ask for those that are gone", async () => {
		const forget = add("gone", () => Promise.reject(new UnauthorizedError()));
		forget();
		add("fine", async () => ada);
		await eventually(() => checks > 3);
		expect(ended).to.deep.equal([]);
	});

	it("keeps them through a short outage, and ends them when their callers cannot be checked for 30 s", async () => {
		let at = 0;
		const restore = turnClock({ now: () => at, monotonic: () => at });
		try {
			add("unchecked", () => Promise.reject(new UnavailableError("The store does not answer")));
			at = 29_000;
			await eventually(() => checks > 5);
			expect(ended).to.deep.equal([]);
			at = 30_001;
			await eventually(() => ended.length === 1);
		} finally {
			restore();
		}
	});
});
