/** The lock of a restore against others that end and begin at the same moment. */
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { refuseForeignUser, RestoreLock } from "#host/archive/restore-lock.ts";

describe("refuseForeignUser()", () => {
	const own = process.getuid;
	afterEach(() => void Object.assign(process, { getuid: own }));

	it("refuses the folder of another person, and what belongs to a person when root asks", () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-foreign-"));
		try {
			if (own?.() === 0) chownSync(folder, 1_234, 1_234);
			process.getuid = () => 4_321;
			expect(() => refuseForeignUser(folder)).to.throw("run this command as that user");
			process.getuid = () => 0;
			expect(() => refuseForeignUser(folder)).to.throw("run this command as that user");
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it("takes the volume of a cluster, which belongs to root and lets its group write", () => {
		process.getuid = () => 1_000;
		expect(() => refuseForeignUser("/tmp")).to.not.throw();
	});
});

describe("RestoreLock", () => {
	let folder: string;

	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-lock-"))));
	afterEach(() => rmSync(folder, { recursive: true }));

	const under = `Another restore into`;

	it("has one holder, and leaves no file", () => {
		const lock = RestoreLock.take(folder);
		expect(() => RestoreLock.take(folder)).to.throw(under);
		lock[Symbol.dispose]();
		expect(existsSync(join(folder, "restore.lock"))).to.equal(false);
		RestoreLock.take(folder)[Symbol.dispose]();
	});

	it("has one holder when the former one ends between the opening and the locking of its file", () => {
		const former = RestoreLock.take(folder);
		const exec = Reflect.get(DatabaseSync.prototype, "exec") as (this: DatabaseSync, sql: string) => void;
		let ends = 0;
		DatabaseSync.prototype.exec = function (sql: string) {
			if (ends++ === 0) former[Symbol.dispose]();
			exec.call(this, sql);
		};
		let second: RestoreLock;
		try {
			second = RestoreLock.take(folder);
		} finally {
			DatabaseSync.prototype.exec = exec;
		}
		expect(ends).to.be.greaterThan(1);
		expect(() => RestoreLock.take(folder)).to.throw(under);
		second[Symbol.dispose]();
	});
});
