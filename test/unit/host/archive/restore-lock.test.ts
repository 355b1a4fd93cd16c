/** The lock of a restore against others that end and begin at the same moment. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { RestoreLock } from "#host/archive/restore-lock.ts";

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
