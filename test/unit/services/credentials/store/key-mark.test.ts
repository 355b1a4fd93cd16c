/** Processes with unlike keys neither mix encrypted and plain files, nor hide that files cannot be opened. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { FileCredentials } from "#services/credentials/credential-stores/file.ts";
import { notedStore } from "#services/credentials/store/noted-store.ts";
import { UnreadableOwners } from "#services/credentials/store/unreadable-owners.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const [first, second] = [1, 2].map((n) => Buffer.alloc(32, n).toString("base64")) as [string, string];
const owner = { type: "user", id: "ada", tenant: "default" } as const;
const credential = (name: string) => ({ name, secret_type: "generic" as const, data: { key: "value" }, metadata: {} });

describe("the key of stored credentials", () => {
	let folder: string;
	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-key-mark-"))));
	afterEach(() => rmSync(folder, { recursive: true }));
	const storeWith = (encryption_key?: string) => new FileCredentials({ default_dir: folder, encryption_key });

	it("is given to files without one by the first change, and no process starts with another one afterwards", async () => {
		await storeWith().put(owner, credential("plain"));
		const store = storeWith(first);
		await store.put(owner, credential("sealed"));
		expect((await store.list(owner)).map(({ name }) => name)).to.have.members(["plain", "sealed"]);
		expect(() => storeWith(first)).not.to.throw();
		expect(() => storeWith(second)).to.throw("this process has another key");
		expect(() => storeWith()).to.throw("this process has no key");
	});

	it("keeps a process without it, which runs on, from changing files and from hiding that it cannot open them", async () => {
		const shortcomings: string[] = [];
		const former = notedStore(storeWith(), new UnreadableOwners(shortcomings));
		await former.put(owner, credential("plain"));
		await storeWith(first).put(owner, credential("sealed"));
		const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).join("\n");
		expect(await failureOf(former.put(owner, credential("more")))).to.include({ type: "CREDENTIALS_UNREADABLE" });
		expect(readdirSync(folder, { recursive: true, encoding: "utf8" }).join("\n")).to.equal(files);
		expect(await failureOf(former.list(owner))).to.include({ type: "CREDENTIALS_UNREADABLE" });
		expect(shortcomings).to.have.length(1);
		expect(shortcomings[0]).to.include("Stored credentials of 1 owner cannot be opened");
		rmSync(join(folder, "user"), { recursive: true });
		await former.list(owner);
		expect(shortcomings).to.deep.equal([]);
	});
});
