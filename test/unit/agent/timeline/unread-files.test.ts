import { expect } from "chai";
import { UnreadFiles } from "#agent/timeline/unread-files.ts";

describe("UnreadFiles", () => {
	it("reports new, changed and removed files", () => {
		const files = new UnreadFiles();
		const none = new Set<string>();
		const [own, tracked] = [
			{ path: "own", isNew: true, stamp: "1" },
			{ path: "tracked", isNew: false, stamp: "1" },
		];
		expect(files.changes([own, tracked], none)).to.deep.equal([
			{ path: "own", status: "new" },
			{ path: "tracked", status: "mod" },
		]);
		expect(files.changes([own, tracked], none)).to.deep.equal([]);
		expect(files.changes([{ ...own, stamp: "2" }, tracked], none)).to.deep.equal([{ path: "own", status: "mod" }]);
		expect(files.changes([tracked], new Set(["own"])), "it is read now").to.deep.equal([]);
		expect(files.changes([], none)).to.deep.equal([{ path: "tracked", status: "del" }]);
	});
});
