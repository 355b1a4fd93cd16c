/**
 * The suite of every document store on a replica set of three real MongoDB servers, which speak TLS only, as a user with rights on one
 * database; and the sentences with which the set refuses others.
 * Night: three servers and the indexes of each test take minutes.
 */
import { expect } from "chai";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { failureOf } from "../../support/failure-of.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";
import { platformUser } from "../../support/stores/mongod-security.ts";
import { openInDatabase } from "../../support/stores/open-stores.ts";
import { sampleCollections } from "../../support/stores/sample-collections.ts";
import { describeDocumentStore } from "../document-store.contract.ts";

describe("on a replica set of three with TLS and users", function () {
	this.timeout(600_000);
	let set: MongodSet;

	before(async () => {
		set = await MongodSet.startSecured(3);
	});
	after(() => set?.[Symbol.asyncDispose]());

	describeDocumentStore("three MongoDB servers", () => openInDatabase(set.url, "atelier"));

	describe("says what is wrong with the url", () => {
		async function refusal(url: string, database = "atelier"): Promise<string> {
			const store = new MongodbStore({ url, database });
			try {
				return String(await failureOf(store.open(sampleCollections)));
			} finally {
				await store.close();
			}
		}

		it("without TLS", async () => {
			const { user } = set.security.loginFor(platformUser);
			expect(await refusal(set.urlFor({ user, query: "&authSource=admin" }))).to.match(
				/The document store closes connections at once; it may want TLS/,
			);
		});

		it("with the certificate of another authority, and of none", async () => {
			const { user } = set.security.loginFor(platformUser);
			for (const file of [`&tlsCAFile=${encodeURIComponent(set.security.otherAuthority)}`, ""]) {
				const login = { user, query: `&authSource=admin&tls=true${file}` };
				expect(await refusal(set.urlFor(login))).to.match(/The certificate of the document store is not trusted/);
			}
		});

		it("with a wrong password, which it does not repeat, and without a user", async () => {
			const wrong = set.security.loginFor({ ...platformUser, password: "wrong-secret" });
			expect(await refusal(set.urlFor(wrong)))
				.to.match(/The document store refuses the user or the password/)
				.and.to.not.include("wrong-secret");
			expect(await refusal(set.urlFor({ ...wrong, user: "" }))).to.match(/does not let this user/);
		});

		it("with another database", async () => {
			expect(await refusal(set.url, "another")).to.match(
				/The document store does not let this user use the database "another"/,
			);
		});
	});
});
