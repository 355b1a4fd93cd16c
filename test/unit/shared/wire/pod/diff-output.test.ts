import { expect } from "chai";
import fc from "fast-check";
import { fileOfPatch, filesOfPatch, fitPatch, readFileDiff } from "#shared/wire/pod/diff-output.ts";
import { fitFileList, readFileList } from "#shared/wire/pod/changed-files.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

const limit = 100_000;

describe("readFileList()", () => {
	it("reads any names, new, changed, deleted and binary files", () => {
		const ids = `${"1".repeat(40)} ${"2".repeat(40)}`;
		const names = ["a b.txt", "tab\tnew\nline", ":100644 odd", "ä€😀", "3\t4\tx"];
		const letters = ["M", "A", "D", "T", "A"];
		const raw = names.map((name, index) => `:100644 100644 ${ids} ${letters[index]}\0${name}\0`).join("");
		const counts = names.map((name, index) => `${index === 3 ? "-\t-" : `${index}\t1`}\t${name}\0`).join("");
		expect(readFileList(raw + counts)).to.deep.equal([
			{ path: "a b.txt", status: "mod", ins: 0, del: 1 },
			{ path: "tab\tnew\nline", status: "new", ins: 1, del: 1 },
			{ path: ":100644 odd", status: "del", ins: 2, del: 1 },
			{ path: "ä€😀", status: "mod", ins: 0, del: 0 },
			{ path: "3\t4\tx", status: "new", ins: 4, del: 1 },
		]);
	});

	it("reads an empty output", () => expect(readFileList("")).to.deep.equal([]));
});

describe("fitFileList()", () => {
	const files = ["a", "b", "c"].map((path) => ({ path, status: "mod" as const, ins: 1, del: 1 }));

	it("says when files were left out", () => {
		expect(fitFileList(files, limit)).to.deep.equal({ files });
		expect(fitFileList(files, 2 * jsonBytes(files[0]) + 2)).to.deep.equal({
			files: files.slice(0, 2),
			truncated: true,
		});
	});
});

describe("readFileDiff()", () => {
	const head = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n";

	it("numbers the lines on both sides", () => {
		const patch = `${head}@@ -1,3 +1,3 @@ function x() {\n one\n-two\n+TWO\n three\n@@ -10 +10,2 @@\n ten\n+eleven\n\\ No newline at end of file\n`;
		expect(readFileDiff("f", patch, limit)).to.deep.equal({
			filePath: "f",
			hunks: [
				{
					oldStart: 1,
					oldCount: 3,
					newStart: 1,
					newCount: 3,
					lines: [
						{ type: "context", content: "one", oldLine: 1, newLine: 1 },
						{ type: "remove", content: "two", oldLine: 2 },
						{ type: "add", content: "TWO", newLine: 2 },
						{ type: "context", content: "three", oldLine: 3, newLine: 3 },
					],
				},
				{
					oldStart: 10,
					oldCount: 1,
					newStart: 10,
					newCount: 2,
					lines: [
						{ type: "context", content: "ten", oldLine: 10, newLine: 10 },
						{ type: "add", content: "eleven", newLine: 11 },
					],
				},
			],
		});
	});

	it("is not misled by lines that look like a patch", () => {
		const patch = `${head}@@ -1,2 +1,2 @@\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n+diff --git a/y b/y\n`;
		const [hunk] = readFileDiff("f", patch, limit).hunks;
		expect(hunk?.lines.map(({ type, content }) => `${type} ${content}`)).to.deep.equal([
			"remove -- a/x",
			"remove @@ -1 +1 @@",
			"add ++ b/x",
			"add diff --git a/y b/y",
		]);
	});

	it("has no hunks for binary and unchanged files", () => {
		expect(readFileDiff("f", `${head}Binary files a/f and b/f differ\n`, limit).hunks).to.deep.equal([]);
		expect(readFileDiff("f", "", limit)).to.deep.equal({ filePath: "f", hunks: [] });
	});

	it("omits lines without room, with a mark", () => {
		const added = Array.from({ length: 1_000 }, (_, index) => `+line ${index}\n`).join("");
		const diff = readFileDiff("f", `${head}@@ -0,0 +1,1000 @@\n${added}`, 10_000);
		expect(diff.truncated).to.equal(true);
		expect(jsonBytes(diff)).to.be.within(9_000, 10_200);
		expect(diff.hunks[0]?.newCount).to.equal(diff.hunks[0]?.lines.length);
	});
});

describe("fitPatch()", () => {
	const file = (name: string, lines: number): string =>
		`diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n${'+"x"\n'.repeat(lines)}`;

	it("returns as many complete files as fit", () => {
		const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 });
		fc.assert(
			fc.property(sizes, fc.integer({ min: 2, max: 2_000 }), fc.boolean(), (lines, room, cut) => {
				const files = lines.map((count, index) => file(`f${index}`, count));
				const { patch, truncated } = fitPatch(files.join(""), cut, room);
				expect(jsonBytes(patch)).to.be.at.most(room);
				const kept = files.findIndex((_, index) => files.slice(0, index).join("") === patch);
				expect(kept !== -1 || patch === files.join("")).to.equal(true);
				expect(truncated).to.equal(cut || patch !== files.join(""));
			}),
		);
	});
});

describe("filesOfPatch() and fileOfPatch()", () => {
	const patch = `diff --git "a/t\\303\\244.txt" "b/t\\303\\244.txt"\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ "b/t\\303\\244.txt"\n@@ -0,0 +1,2 @@\n++one\n+-- two\ndiff --git a/mode b/mode\nold mode 100644\nnew mode 100755\ndiff --git a/x y b/x y\ndeleted file mode 100644\nindex 1..0\n--- a/x y\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n`;

	it("list what a patch changes", () => {
		expect(filesOfPatch(patch)).to.deep.equal([
			{ path: "tä.txt", status: "new", ins: 2, del: 0 },
			{ path: "mode", status: "mod", ins: 0, del: 0 },
			{ path: "x y", status: "del", ins: 0, del: 1 },
		]);
		expect(filesOfPatch("")).to.deep.equal([]);
	});

	it("give the hunks of one file", () => {
		expect(fileOfPatch("tä.txt", patch, limit).hunks[0]?.lines.map(({ content }) => content)).to.deep.equal([
			"+one",
			"-- two",
		]);
		expect(fileOfPatch("x y", patch, limit).hunks).to.have.length(1);
		for (const path of ["mode", "unknown"])
			expect(fileOfPatch(path, patch, limit)).to.deep.equal({ filePath: path, hunks: [] });
	});
});

describe("a patch that is none", () => {
	const lines = [
		"diff --git a/f b/f",
		'diff --git "a/\\303" "b/x"',
		"--- a/f",
		"--- /dev/null",
		"--- ",
		"+++ b/f",
		'+++ "b/x',
		"@@ -1 +1 @@",
		"@@ -1,2 +1,3 @@",
		"@@",
		"+x",
		"-y",
		" z",
		"\\ No newline at end of file",
		"?",
		"",
		"\0",
		"Binary files differ",
		"rename from x",
		"index 1..2",
	];
	const likely = fc.array(fc.constantFrom(...lines), { maxLength: 12 }).map((all) => all.join("\n"));
	const patch = fc.oneof(likely, fc.string({ unit: "binary" }));

	it("breaks none of the readers, whose results stay within their bounds", () => {
		fc.assert(
			fc.property(patch, (text) => {
				expect(jsonBytes(readFileDiff("f", text, 300))).to.be.below(600);
				expect(jsonBytes(fileOfPatch("f", text, 300))).to.be.below(600);
				filesOfPatch(text);
				readFileList(text);
				fitPatch(text, true, 300);
			}),
			{ numRuns: 10_000 },
		);
	}).timeout(30_000);

	it("does not hide the files around it", () => {
		const good = (name: string) =>
			`diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;
		const patch = `${good("one")}diff --git a/bad b/bad\n--- a/bad\n+++ b/bad\n@@ -1 +1 @@\n?\n${good("two")}`;
		expect(filesOfPatch(patch).map(({ path }) => path)).to.deep.equal(["one", "two"]);
	});
});
