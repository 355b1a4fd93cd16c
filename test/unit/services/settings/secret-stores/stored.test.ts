/** The promises of the stored secrets alone: two processes, values that the store does not show, bytes. */
import { expect } from "chai";
import { StoredSecrets } from "#services/settings/secret-stores/stored.ts";
import { secretCollection } from "#services/settings/secrets/secret-collection.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ConflictError, UnavailableError } from "#shared/base/errors.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../../../contract/document-store.contract.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { openEmbedded } from "../../../../support/stores/open-stores.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const bob: Principal = { ...alice, id: "bob" };
const data = { token: "value-that-stays-sealed" };

function sealOf(byte: number): TextSeal {
	return new TextSeal(new InstallationKey(Buffer.alloc(32, byte)).userSecretsKey().toString("base64"));
}

describe("StoredSecrets", () => {
	let opened: StoreUnderTest;
	let store: DocumentStore;
	let secrets: StoredSecrets;

	beforeEach(async () => {
		opened = await openEmbedded([secretCollection]);
		({ store } = opened);
		secrets = new StoredSecrets({ store, seal: sealOf(1) });
	});
	afterEach(() => opened.discard());

	const idOf = ({ tenant, id }: Principal) => JSON.stringify([tenant, id]);
	const textOf = async (principal: Principal) => (await store.get(secretCollection, idOf(principal)))?.wire ?? "";
	const put = (principal: Principal, wire: string) => store.update(secretCollection, idOf(principal), {}, { wire });

	/** Expects that the values of a secret are refused, with a sentence that has nothing of them. */
	async function refuses(principal: Principal, name: string, by = secrets): Promise<void> {
		const error = await failureOf(by.values(principal, name));
		expect(error).to.be.instanceOf(UnavailableError);
		expect(error).to.have.property("message", "The secret cannot be read at the moment");
	}

	it("are the same in every process with the key of the installation", async () => {
		await secrets.create(alice, { name: "a", data });
		const other = new StoredSecrets({ store, seal: sealOf(1) });
		expect(await other.values(alice, "a")).to.deep.equal(data);
		expect(await failureOf(other.create(alice, { name: "a", data }))).to.be.instanceOf(ConflictError);
		await other.create(alice, { name: "b", data });
		expect((await secrets.list(alice)).map(({ name }) => name)).to.deep.equal(["a", "b"]);
	});

	it("show their values to nobody with the store alone, or with another key", async () => {
		await secrets.create(alice, { name: "a", data });
		expect(await textOf(alice))
			.to.include('"a"')
			.and.not.to.include(data.token);
		await refuses(alice, "a", new StoredSecrets({ store, seal: sealOf(2) }));
	});

	it("are bound to their user and their name", async () => {
		await secrets.create(alice, { name: "a", data });
		await secrets.create(bob, { name: "a", data: { token: "his" } });
		const hers = await textOf(alice);
		await put(bob, hers);
		await refuses(bob, "a");
		await put(alice, hers.replace('"name":"a"', '"name":"b"'));
		await refuses(alice, "b");
		await put(alice, hers);
		expect(await secrets.values(alice, "a")).to.deep.equal(data);
	});

	it("that were put there unsealed are refused", async () => {
		await secrets.create(alice, { name: "a", data });
		await put(alice, JSON.stringify([{ name: "a", keys: ["token"], sealed: JSON.stringify({ token: "planted" }) }]));
		await refuses(alice, "a");
	});

	it("of one user have a bound of bytes, which others do not feel", async () => {
		const bounded = new StoredSecrets({ store, seal: sealOf(1), max_bytes_per_user: 1_000 });
		const large = { token: "x".repeat(400) };
		await bounded.create(alice, { name: "a", data: large });
		const error = await failureOf(bounded.create(alice, { name: "b", data: large }));
		expect(error).to.be.instanceOf(ConflictError);
		expect(String(error)).to.include("at most 1000 bytes");
		expect((await bounded.list(alice)).map(({ name }) => name)).to.deep.equal(["a"]);
		await bounded.create(bob, { name: "b", data: large });
	});
});
