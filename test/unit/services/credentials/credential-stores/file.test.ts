import { expect } from "chai";
import {
	existsSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCredentials } from "#services/credentials/credential-stores/file.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const alice = personOf({ tenant: "default", id: "alice" });
const encryption_key = Buffer.alloc(32, 5).toString("base64");

describe("FileCredentials", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-credentials-"));
	});

	afterEach(() => {
		rmSync(folder, { recursive: true, force: true });
	});

	function open(options: object = {}): FileCredentials {
		return new FileCredentials({ default_dir: join(folder, "store"), ...options });
	}

	function own(...path: string[]): string {
		return join(folder, "store", "user", "alice", ...path);
	}

	function put(store: FileCredentials, name: string, token: string): Promise<unknown> {
		return store.put(alice, { name, secret_type: "generic", data: { token }, metadata: {} });
	}

	it("has the layout of the specification, for this user only", async () => {
		const store = open();
		await put(store, "a", "s3cret");
		await put(store, "credentials", "other");
		const { metadata, values } = JSON.parse(readFileSync(own("credentials.json"), "utf8"));
		expect(metadata.a).to.include({ name: "a", secret_type: "generic", owner_id: "alice", owner_type: "user" });
		expect(values).to.deep.equal({ a: { token: "s3cret" }, credentials: { token: "other" } });
		expect(JSON.parse(readFileSync(own("a.json"), "utf8"))).to.deep.equal({ token: "s3cret" });
		expect(readdirSync(own()).toSorted()).to.deep.equal(["a.json", "credentials.fields.json", "credentials.json"]);
		for (const path of [join(folder, "store"), join(folder, "store", "user"), own()])
			expect(lstatSync(path).mode & 0o777, path).to.equal(0o700);
		for (const name of readdirSync(own())) expect(lstatSync(own(name)).mode & 0o777, name).to.equal(0o600);
	});

	it("with a key, has no value and no name of a field in a file", async () => {
		const store = open({ encryption_key });
		await put(store, "a", "s3cret");
		for (const name of readdirSync(own())) expect(readFileSync(own(name), "utf8")).not.to.match(/s3cret|token/);
		expect((await open({ encryption_key }).values(alice, ["a"])).get("a")?.data).to.deep.equal({ token: "s3cret" });
	});

	it("encrypts at the next change what was stored without a key", async () => {
		await put(open(), "a", "s3cret");
		await put(open({ encryption_key }), "b", "other");
		expect(readFileSync(own("credentials.json"), "utf8")).not.to.contain("s3cret");
		expect(readFileSync(own("a.json"), "utf8")).not.to.contain("s3cret");
		expect((await open({ encryption_key }).values(alice, ["a"])).get("a")?.data).to.deep.equal({ token: "s3cret" });
	});

	it("removes what a killed process left: drafts, and files of credentials that are not stored", async () => {
		const store = open();
		await put(store, "a", "s3cret");
		writeFileSync(own("credentials.json.abc.tmp"), "half");
		writeFileSync(own("gone.json"), "values of a deleted one");
		writeFileSync(own("a.json"), "an old value");
		await put(store, "b", "other");
		expect(readdirSync(own()).toSorted()).to.deep.equal(["a.json", "b.json", "credentials.json"]);
		expect(readFileSync(own("a.json"), "utf8")).to.equal('{"token":"s3cret"}');
	});

	it("removes the file with the values of a deleted credential", async () => {
		const store = open();
		await put(store, "a", "s3cret");
		await store.delete(alice, "a");
		expect(readdirSync(own())).to.deep.equal(["credentials.json"]);
		expect(readFileSync(own("credentials.json"), "utf8")).not.to.contain("s3cret");
	});

	it("says 503 for files that it cannot read, and changes nothing then", async () => {
		const store = open();
		await put(store, "a", "s3cret");
		for (const content of [
			"",
			"{",
			'{"metadata":{"a":1},"values":{}}',
			"[]",
			'{"metadata":{},"values":{"a":{"b":1}}}',
		]) {
			writeFileSync(own("credentials.json"), content);
			const error = await failureOf(store.list(alice));
			expect(error, content).to.be.instanceOf(UnavailableError);
			expect(String(error)).not.to.contain(folder);
			expect(await failureOf(put(store, "b", "x")), content).to.be.instanceOf(Error);
			expect(readFileSync(own("credentials.json"), "utf8")).to.equal(content);
		}
	});

	it("follows no link in the place of a file", async () => {
		const store = open();
		await put(store, "a", "s3cret");
		const target = join(folder, "target");
		writeFileSync(target, "untouched");
		rmSync(own("a.json"));
		symlinkSync(target, own("a.json"));
		await put(store, "a", "other");
		expect(readFileSync(target, "utf8")).to.equal("untouched");
		rmSync(own("credentials.json"));
		symlinkSync(target, own("credentials.json"));
		expect(await failureOf(store.list(alice))).to.be.instanceOf(UnavailableError);
		expect(existsSync(target)).to.equal(true);
	});

	it("changes the credentials of one person while many changes of another one wait", async () => {
		const store = open();
		const bob = personOf({ tenant: "default", id: "bob" });
		let changed = 0;
		const others = Array.from({ length: 30 }, (_, index) => put(store, `a-${index}`, "s3cret").then(() => changed++));
		await store.put(bob, { name: "b", secret_type: "generic", data: { token: "s3cret" }, metadata: {} });
		expect(changed).to.be.below(20);
		await Promise.all(others);
		expect(await store.list(alice)).to.have.length(30);
	});

	it("takes base_dir for its folder, and refuses a key of another form", async () => {
		await put(open({ base_dir: join(folder, "other") }), "a", "s3cret");
		expect(existsSync(join(folder, "other/user/alice/a.json"))).to.equal(true);
		expect(() => open({ encryption_key: "too short" })).to.throw(RangeError);
	});
});
