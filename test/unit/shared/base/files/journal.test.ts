import {
	appendFileSync,
	constants,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { Journal } from "#shared/base/files/journal.ts";

describe("Journal", () => {
	let folder: string;
	let path: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-journal-"));
		path = join(folder, "journal.jsonl");
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	async function reopened(): Promise<unknown[]> {
		const { journal, records } = await Journal.open(path);
		await journal.close();
		return records;
	}

	it("gives back what was appended, in order", async () => {
		const { journal } = await Journal.open(path);
		await Promise.all([1, 2, 3].map((n) => journal.append({ n, text: "a\nb" })));
		expect(journal.size).to.equal(statSync(path).size);
		await journal.close();
		expect(await reopened()).to.deep.equal([1, 2, 3].map((n) => ({ n, text: "a\nb" })));
	});

	/** The flags with which this process has opened the file. */
	function openFlags(): number[] {
		const own = readdirSync("/proc/self/fd").filter((fd) => {
			try {
				return readlinkSync(`/proc/self/fd/${fd}`) === path;
			} catch {
				return false;
			}
		});
		const info = own.map((fd) => readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"));
		return info.map((text) => Number.parseInt(/^flags:\s+(\d+)$/m.exec(text)?.[1] ?? "0", 8));
	}

	it("opens its file so that a write ends on the disk, also after a rewrite", async () => {
		const { journal } = await Journal.open(path);
		const { O_DSYNC, O_APPEND } = constants;
		expect(openFlags().map((flags) => flags & (O_DSYNC | O_APPEND))).to.deep.equal([O_DSYNC | O_APPEND]);
		await journal.rewrite(() => [{ n: 1 }]);
		expect(openFlags().map((flags) => flags & (O_DSYNC | O_APPEND))).to.deep.equal([O_DSYNC | O_APPEND]);
		await journal.close();
		expect(openFlags()).to.deep.equal([]);
	});

	it("cuts off half a line and continues after the last complete one", async () => {
		const { journal } = await Journal.open(path);
		await journal.append({ n: 1 });
		await journal.close();
		appendFileSync(path, '{"n":2,"te');
		const second = await Journal.open(path);
		expect(second.records).to.deep.equal([{ n: 1 }]);
		await second.journal.append({ n: 3 });
		await second.journal.close();
		expect(readFileSync(path, "utf8")).to.equal('{"n":1}\n{"n":3}\n');
	});

	it("leaves out a line that is no JSON", async () => {
		appendFileSync(path, '{"n":1}\n\0\0garbage\n{"n":2}\n');
		expect(await reopened()).to.deep.equal([{ n: 1 }, { n: 2 }]);
	});

	it("rewrites what was appended before, and appends after that", async () => {
		const { journal } = await Journal.open(path);
		const all: number[] = [];
		const append = (n: number): Promise<void> => journal.append({ n }).then(() => void all.push(n));
		const before = [1, 2, 3].map(append);
		const rewritten = journal.rewrite(() => all.map((n) => ({ kept: n })));
		await Promise.all([...before, rewritten, append(4)]);
		await journal.close();
		expect(await reopened()).to.deep.equal([{ kept: 1 }, { kept: 2 }, { kept: 3 }, { n: 4 }]);
	});

	it("opens any file that a crash left, with its complete records", async () => {
		const record = fc.record({ n: fc.nat(), text: fc.string({ unit: "binary" }) });
		const garbage = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 10)));
		await fc.assert(
			fc.asyncProperty(fc.array(record, { maxLength: 4 }), garbage, fc.nat(), async (records, noise, cut) => {
				const whole = records.map((each) => Buffer.from(`${JSON.stringify(each)}\n`));
				const last = Buffer.from(JSON.stringify({ n: -1, noise: noise.toString("hex") }));
				// An invalid line in the middle, and the last one cut somewhere.
				writeFileSync(
					path,
					Buffer.concat([...whole, Buffer.of(0), noise, Buffer.from("\n"), last.subarray(0, cut % last.length)]),
				);
				expect(await reopened()).to.deep.equal(JSON.parse(JSON.stringify(records)));
			}),
			{ numRuns: 200 },
		);
	}).timeout(30_000);
});
