/** The contract of a secret store, which every adapter passes. */
import { expect } from "chai";
import type { SecretStore } from "#services/settings/secrets/secret-store.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { failureOf } from "../support/failure-of.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const strangers: Principal[] = [
	{ ...alice, id: "bob" },
	{ ...alice, id: "dora", roles: ["admin"] },
	{ ...alice, tenant: "other" },
];

/** A store of a test, empty at first. */
export interface SecretsUnderTest {
	/** Returns the store with a limit on the secrets of a user, over the same secrets. */
	with(limits: { max_per_user: number }): SecretStore;
	/** Removes everything. */
	discard?(): Promise<void>;
}

export function describeSecretStore(name: string, open: () => Promise<SecretsUnderTest>): void {
	describe(`the secret store ${name}`, () => {
		let subject: SecretsUnderTest | undefined;
		let store: SecretStore;

		beforeEach(async () => {
			subject = await open();
			store = subject.with({ max_per_user: 4 });
		});
		afterEach(() => subject?.discard?.());

		it("shows names and keys of what was created, and returns the values for a launch only", async () => {
			const entry = { name: "registry", keys: ["password", "user"] };
			const data = { user: "alice", password: "s3cret" };
			expect(await store.create(alice, { name: "registry", data })).to.deep.equal(entry);
			expect(await store.list(alice)).to.deep.equal([entry]);
			expect(await store.get(alice, "registry")).to.deep.equal(entry);
			expect(await store.values(alice, "registry")).to.deep.equal(data);
		});

		it("does not know a name that nobody has created", async () => {
			expect(await store.list(alice)).to.deep.equal([]);
			for (const unknown of ["registry", "__proto__", "constructor"]) {
				expect(await store.get(alice, unknown)).to.equal(undefined);
				expect(await store.values(alice, unknown)).to.equal(undefined);
			}
		});

		it("keeps the secrets of each user apart, also those of one name", async () => {
			await store.create(alice, { name: "registry", data: { password: "hers" } });
			for (const stranger of strangers) {
				expect(await store.list(stranger)).to.deep.equal([]);
				expect(await store.get(stranger, "registry")).to.equal(undefined);
				expect(await store.values(stranger, "registry")).to.equal(undefined);
				await store.create(stranger, { name: "registry", data: { password: stranger.id } });
			}
			expect(await store.values(alice, "registry")).to.deep.equal({ password: "hers" });
		});

		it("creates a name once, whoever comes at the same time, and keeps the values of the first", async () => {
			const attempts = ["one", "two", "three"].map((token) => store.create(alice, { name: "a", data: { token } }));
			const outcomes = await Promise.allSettled(attempts);
			const created = outcomes.filter(({ status }) => status === "fulfilled");
			expect(created).to.have.length(1);
			const values = await store.values(alice, "a");
			expect(await failureOf(store.create(alice, { name: "a", data: { token: "four" } }))).to.be.instanceOf(
				ConflictError,
			);
			expect(await store.values(alice, "a")).to.deep.equal(values);
		});

		it("keeps no more of one user than it says, however many come at once, and those of others", async () => {
			const names = ["a", "b", "c", "d", "e", "f", "g"];
			const outcomes = await Promise.allSettled(
				names.map((one) => store.create(alice, { name: one, data: { token: one } })),
			);
			expect(outcomes.filter(({ status }) => status === "fulfilled")).to.have.length(4);
			for (const outcome of outcomes)
				if (outcome.status === "rejected") expect(outcome.reason).to.be.instanceOf(ConflictError);
			for (const { name: one } of await store.list(alice))
				expect(await store.values(alice, one)).to.deep.equal({ token: one });
			expect(await store.list(alice)).to.have.length(4);
			for (const stranger of strangers) await store.create(stranger, { name: "a", data: { token: "x" } });
		});

		it("keeps values of any characters, and keys that have a meaning elsewhere", async () => {
			const text = `{"__proto__":"one","constructor":"'; DROP \\u0000 größer \u{1F511}","toString":""}`;
			const data: Record<string, string> = JSON.parse(text);
			await store.create(alice, { name: "odd", data });
			expect(Object.entries((await store.values(alice, "odd")) ?? {})).to.deep.equal(Object.entries(data));
			expect(await store.get(alice, "odd")).to.deep.equal({
				name: "odd",
				keys: ["__proto__", "constructor", "toString"],
			});
		});

		it("keeps its own copy of the values", async () => {
			const data = { token: "first" };
			await store.create(alice, { name: "a", data });
			data.token = "changed";
			expect(await store.values(alice, "a")).to.deep.equal({ token: "first" });
		});
	});
}
