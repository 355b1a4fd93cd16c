import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { Use, MeteredReport } from "#shared/model-proxy/books/usage-report.ts";
import { UsageSpool } from "#shared/model-proxy/books/usage-spool.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";

describe("UsageSpool", () => {
	let folder: string;
	let file: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-usage-"));
		file = join(folder, "usage.jsonl");
	});

	afterEach(() => rmSync(folder, { recursive: true }));

	it("makes one report of uses that fit together, and no other until it is acknowledged", async () => {
		const spool = await UsageSpool.open(file);
		await spool.add(use({ counts: tokens(10, 1) }));
		await spool.add(use({ counts: tokens(20, 2, 5, 7) }));
		await spool.addMessage();
		const report = await spool.next();
		expect(report).to.deep.include({
			launch: 1,
			tokens: 45,
			provider: "cloud",
			model: "m",
			message_count: 1,
			input_tokens: 30,
			output_tokens: 3,
			cache_read_tokens: 5,
			cache_write_tokens: 7,
			source: "metered",
		});
		await spool.add(use({ counts: tokens(1, 0) }));
		expect(await spool.next()).to.equal(report);
		await spool.acknowledge(report ?? expect.fail());
		expect(await spool.next()).to.deep.include({ tokens: 1, message_count: 0 });
		await spool.close();
	});

	it("makes several reports of use that exceeds one (H5)", async () => {
		const spool = await UsageSpool.open(file);
		for (let n = 0; n < 3; n++) await spool.add(use({ counts: tokens(60_000_000, 0) }));
		const reports = await drain(spool);
		expect(reports.map((one) => one.tokens)).to.deep.equal([60_000_000, 60_000_000, 60_000_000]);
		await spool.close();
	});

	it("separates launches, models, locations and reservations, oldest first", async () => {
		const spool = await UsageSpool.open(file);
		const uses = [
			use({ launch: 1 }),
			use({ launch: 2 }),
			use({ model: "other" }),
			use({ location: "local" }),
			use({ reservation_id: "r" }),
		];
		for (const one of [...uses, ...uses]) await spool.add(one);
		const reports = await drain(spool);
		expect(reports.map((one) => [one.launch, one.model, one.provider, one.reservation_id, one.tokens])).to.deep.equal([
			[1, "m", "cloud", undefined, 22],
			[2, "m", "cloud", undefined, 22],
			[1, "other", "cloud", undefined, 22],
			[1, "m", "local", undefined, 22],
			[1, "m", "cloud", "r", 22],
		]);
		expect(new Set(reports.map(({ report_id }) => report_id)).size).to.equal(5);
		await spool.close();
	});

	it("counts a message with the next tokens, even those of the next launch", async () => {
		const spool = await UsageSpool.open(file);
		await spool.addMessage();
		expect([spool.isEmpty, await spool.next()]).to.deep.equal([true, undefined]);
		const next = await reopen(file, spool);
		await next.add(use({ launch: 2 }));
		expect(await next.next()).to.include({ message_count: 1 });
		await next.close();
	});

	it("reports the uses of each launch with the name of its model, for any number of launches", async () => {
		const spool = await UsageSpool.open(file);
		const models = Array.from({ length: 250 }, (_, launch) => `model ${launch}`);
		for (const [launch, model] of models.entries()) await spool.add(use({ launch, model }));
		const reports = await drain(spool);
		expect(reports.map(({ model, tokens }) => [model, tokens])).to.deep.equal(models.map((model) => [model, 11]));
		expect(statSync(file).size).to.be.below(262_144 + 1_000);
		await spool.close();
		expect(readFileSync(file, "utf8")).to.equal("");
	});

	it("counts use in memory that a full disk refuses, and nothing twice", async () => {
		const spool = await UsageSpool.open(file);
		await spool.add(use({}));
		await spool.close();
		const failure = await spool.add(use({})).then(
			() => "kept",
			() => "refused",
		);
		expect(failure).to.equal("refused");
		expect(
			await spool.next().then(
				() => "told",
				() => "not told",
			),
			"not on disk, so not told",
		).to.equal("not told");
		const next = await UsageSpool.open(file);
		expect(await next.next(), "what was on disk").to.include({ tokens: 11 });
		await next.close();
	});

	it("counts a call of a killed pod with its reported use, and an ended one with its final use", async () => {
		const killed = await UsageSpool.open(file);
		await killed.begin("a", use({ counts: tokens(6, 0) }));
		await killed.begin("b", use({ counts: tokens(7, 0) }));
		await killed.add(use({}), "b");
		expect(
			(await drain(killed)).map(({ tokens: all }) => all),
			"not before it is over",
		).to.deep.equal([11]);
		const second = await UsageSpool.open(file);
		expect((await drain(second)).map(({ tokens: all }) => all)).to.deep.equal([6]);
		const third = await UsageSpool.open(file);
		expect(await third.next(), "once").to.equal(undefined);
		for (const spool of [killed, second, third]) await spool.close();
	});

	it("leaves out lines that are damaged", async () => {
		appendFileSync(
			file,
			'{"use":{"launch":1,"model":"m","location":"cloud","counts":{"input":10,"output":1,"cache_read":0,"cache_write":0}}}\n{"nonsense":1}\n{"use":',
		);
		const next = await UsageSpool.open(file);
		expect((await drain(next)).map(({ tokens: all }) => all)).to.deep.equal([11]);
		await next.close();
	});

	it("loses nothing and reports nothing twice, for any time of the kill", async () => {
		const step = fc.constantFrom("use", "other", "message", "next", "told", "kill", "begin", "end");
		let run = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
				const life = await SpoolLife.begin(join(folder, `run-${run++}`));
				for (const one of steps) await life.step(one);
				await life.end();
				expect(life.told).to.equal(life.used);
				expect(life.toldMessages).to.be.at.most(life.messages);
				if (steps.lastIndexOf("use") > steps.lastIndexOf("message")) expect(life.toldMessages).to.equal(life.messages);
			}),
			{ numRuns: 30 },
		);
	});
});

/** A session whose pods are killed, and a platform that keeps the first report of each id. */
class SpoolLife {
	used = 0;
	messages = 0;
	readonly #path: string;
	#spool: UsageSpool;
	#launch = 1;
	/** The id of the call under way. */
	#call: string | undefined;
	#calls = 0;
	readonly #heard = new Map<string, MeteredReport>();

	private constructor(path: string, spool: UsageSpool) {
		this.#path = path;
		this.#spool = spool;
	}

	static async begin(path: string): Promise<SpoolLife> {
		return new SpoolLife(path, await UsageSpool.open(`${path}-1`));
	}

	get told(): number {
		return [...this.#heard.values()].reduce((sum, { tokens: all }) => sum + all, 0);
	}

	get toldMessages(): number {
		return [...this.#heard.values()].reduce((sum, { message_count }) => sum + message_count, 0);
	}

	async step(step: string): Promise<void> {
		if (step === "kill") return this.#kill();
		if (step === "message") {
			this.messages++;
			return this.#spool.addMessage();
		}
		if (step === "use" || step === "other") {
			this.used += 11;
			return this.#spool.add(use({ launch: this.#launch, model: step }));
		}
		if (step === "begin" || step === "end") return this.#goOn(step);
		const report = this.#hear(await this.#spool.next());
		if (report && step === "told") await this.#spool.acknowledge(report);
	}

	async end(): Promise<void> {
		await this.#goOn("end");
		for (const report of await drain(this.#spool)) this.#hear(report);
		await this.#spool.close();
	}

	/** A call begins with 6 tokens and ends with 11. */
	async #goOn(step: "begin" | "end"): Promise<void> {
		if (step === "begin" && this.#call === undefined) {
			this.#call = `call-${this.#calls++}`;
			await this.#spool.begin(this.#call, use({ launch: this.#launch, counts: tokens(6, 0) }));
		} else if (step === "end" && this.#call !== undefined) {
			this.used += 11;
			await this.#spool.add(use({ launch: this.#launch }), this.#call);
			this.#call = undefined;
		}
	}

	/** The next pod finds the file in its present state. */
	async #kill(): Promise<void> {
		const next = `${this.#path}-${this.#launch + 1}`;
		copyFileSync(`${this.#path}-${this.#launch}`, next);
		await this.#spool.close();
		this.#spool = await UsageSpool.open(next);
		this.#launch++;
		// Only the beginning of the call under way is known.
		if (this.#call !== undefined) this.used += 6;
		this.#call = undefined;
	}

	#hear(report: MeteredReport | undefined): MeteredReport | undefined {
		if (!report) return undefined;
		expect(this.#heard.get(report.report_id) ?? report, "one id, one body").to.deep.equal(report);
		this.#heard.set(report.report_id, report);
		return report;
	}
}

function use(changes: Partial<Use>): Use {
	return { launch: 1, model: "m", location: "cloud", counts: tokens(10, 1), ...changes };
}

function tokens(input: number, output: number, cache_read = 0, cache_write = 0): TokenCounts {
	return { input, output, cache_read, cache_write };
}

async function reopen(file: string, spool: UsageSpool): Promise<UsageSpool> {
	await spool.close();
	return UsageSpool.open(file);
}

async function drain(spool: UsageSpool): Promise<MeteredReport[]> {
	const reports: MeteredReport[] = [];
	for (let report = await spool.next(); report; report = await spool.next()) {
		reports.push(report);
		await spool.acknowledge(report);
	}
	return reports;
}
