/** The tools that read and change files, without a model. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { editFile } from "#agent/builtin/tools/edit-file.ts";
import { listFiles } from "#agent/builtin/tools/list-files.ts";
import { readFile } from "#agent/builtin/tools/read-file.ts";
import { searchFiles } from "#agent/builtin/tools/search-files.ts";
import type { Tool, ToolOutcome } from "#agent/builtin/tools/tool.ts";
import { ToolFailure } from "#agent/builtin/tools/tool-failure.ts";
import { ToolInput } from "#agent/builtin/tools/tool-input.ts";
import { writeFile } from "#agent/builtin/tools/write-file.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { useFolder } from "../../../support/use-folder.ts";

describe("the built-in agent's file tools", () => {
	const folder = useFolder();

	/** @param meanwhile It runs between the question and the answer. */
	async function use(tool: Tool, input: JsonObject, meanwhile = () => {}): Promise<ToolOutcome> {
		const prepared = await tool.prepare(new ToolInput(input), folder());
		meanwhile();
		const { signal } = new AbortController();
		return prepared.run({ folder: folder(), signal, maxLength: 10_000, show() {}, update() {} });
	}

	function put(path: string, text: string | Buffer): void {
		writeFileSync(join(folder(), path), text);
	}

	async function refusalOf(doing: Promise<unknown>): Promise<string> {
		const failure = await failureOf(doing);
		expect(failure).to.be.instanceOf(ToolFailure);
		return (failure as Error).message;
	}

	it("replace a text that is there exactly once", async () => {
		put("a", "one two two");
		await use(editFile, { path: "a", old_text: "one", new_text: "1" });
		expect(readFileSync(join(folder(), "a"), "utf8")).to.equal("1 two two");
		const wrong = { path: "a", old_text: "two", new_text: "$&" };
		expect(await refusalOf(use(editFile, wrong))).to.match(/in the file 2 times/);
		expect(await refusalOf(use(editFile, { ...wrong, old_text: "three" }))).to.match(/not in the file/);
		await use(editFile, { ...wrong, replace_all: true });
		expect(readFileSync(join(folder(), "a"), "utf8"), "taken as it is").to.equal("1 $& $&");
	});

	it("keep the line ends a file has", async () => {
		put("a", "one\r\ntwo\r\n");
		await use(editFile, { path: "a", old_text: "one\ntwo", new_text: "1\n2" });
		expect(readFileSync(join(folder(), "a"), "utf8")).to.equal("1\r\n2\r\n");
	});

	it("do not overwrite what was changed while the permission was asked", async () => {
		put("a", "one");
		const input = { path: "a", content: "mine" };
		expect(await refusalOf(use(writeFile, input, () => put("a", "theirs")))).to.match(/changed in the meantime/);
		expect(readFileSync(join(folder(), "a"), "utf8")).to.equal("theirs");
	});

	it("refuse binary files, missing files and large files", async () => {
		put("binary", Buffer.from([1, 0, 2]));
		put("large", Buffer.alloc(11 * 1_048_576, "a"));
		mkdirSync(join(folder(), "sub"));
		execFileSync("mkfifo", [join(folder(), "pipe")]);
		expect(await refusalOf(use(readFile, { path: "binary" }))).to.match(/not a text file/);
		expect(await refusalOf(use(readFile, { path: "large" }))).to.match(/too many to read at once/);
		for (const path of ["sub", "pipe", "."]) expect(await refusalOf(use(readFile, { path }))).to.match(/is not a file/);
		expect(await refusalOf(use(readFile, { path: "absent" }))).to.match(/no file "absent"/);
		expect(await refusalOf(use(writeFile, { path: "sub", content: "" }))).to.match(/is not a file/);
		expect(await refusalOf(use(readFile, { path: "a\0b" }))).to.match(/outside/);
	});

	it("keep the permissions of a file", async () => {
		put("run.sh", "old");
		chmodSync(join(folder(), "run.sh"), 0o755);
		await use(writeFile, { path: "run.sh", content: "new" });
		expect(execFileSync("stat", ["-c", "%a", join(folder(), "run.sh")], { encoding: "utf8" }).trim()).to.equal("755");
	});

	it("list files by pattern and folder, without .git and node_modules", async () => {
		for (const path of ["src/deep", ".git", "node_modules/x"]) mkdirSync(join(folder(), path), { recursive: true });
		for (const path of ["b.ts", "a.ts", "src/c.ts", "src/deep/d.js", ".git/x.ts", "node_modules/x/y.ts"]) put(path, "");
		expect((await use(listFiles, {})).text.split("\n")).to.deep.equal(["a.ts", "b.ts", "src/c.ts", "src/deep/d.js"]);
		expect((await use(listFiles, { pattern: "**/*.ts" })).text.split("\n")).to.deep.equal(["a.ts", "b.ts", "src/c.ts"]);
		expect((await use(listFiles, { path: "src", pattern: "*.ts" })).text).to.equal("src/c.ts");
		expect((await use(listFiles, { pattern: "*.py" })).text).to.equal("(No files)");
		expect(await refusalOf(use(listFiles, { path: "absent" }))).to.match(/no folder/);
		expect(await refusalOf(use(listFiles, { pattern: "+(+(+(a)))b" }))).to.match(/A pattern holds/);
	});

	it("list a bounded number of files", async () => {
		for (let n = 0; n < 1_010; n++) put(`file-${n}`, "");
		const lines = (await use(listFiles, {})).text.split("\n");
		expect(lines).to.have.length(1_001);
		expect(lines.at(-1)).to.match(/^\(Only the first 1000/);
	});

	const search = searchFiles({ PATH: process.env["PATH"] ?? "" });

	it("search by expression, place, name and case, and leave out what is ignored", async () => {
		mkdirSync(join(folder(), "odd[1]"));
		for (const path of ["a.ts", "b.js", "odd[1]/c.ts", "ignored.ts"]) put(path, "first\nHello world\n");
		put(".gitignore", "ignored.ts\n");
		const found = async (input: JsonObject): Promise<string[]> =>
			(await use(search, input)).text.split("\n").map((line) => line.split(":")[0] ?? "");
		expect(await found({ pattern: "^Hel+o" })).to.deep.equal(["a.ts", "b.js", "odd[1]/c.ts"]);
		expect(await found({ pattern: "hello", ignore_case: true, include: "*.ts" })).to.deep.equal([
			"a.ts",
			"odd[1]/c.ts",
		]);
		expect(await found({ pattern: "Hello", path: "odd[1]", include: "*.ts" })).to.deep.equal(["odd[1]/c.ts"]);
		expect(await found({ pattern: "Hello", path: "b.js" })).to.deep.equal(["b.js"]);
		expect(await found({ pattern: "nowhere" })).to.deep.equal(["(Nothing found)"]);
		expect(await found({ pattern: "--help" })).to.deep.equal(["(Nothing found)"]);
		expect(await refusalOf(use(search, { pattern: "(" }))).to.match(/Unmatched/);
	});

	it("return a bounded number of lines of a search", async () => {
		put("many", "x\n".repeat(1_000));
		const lines = (await use(search, { pattern: "x" })).text.split("\n");
		expect(lines).to.have.length(301);
		expect(lines.at(-1)).to.match(/^\(Only the first 300 lines/);
	});
});
