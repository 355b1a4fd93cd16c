import { expect } from "chai";
import { WaitingPool } from "#services/pod-manager/pod-runtimes/machine/waiting-pool.ts";
import { aborted } from "#shared/base/concurrency/aborted.ts";
import { eventually } from "../../../../../support/eventually.ts";

/** A program that a test ends. */
class Played {
	readonly #end = Promise.withResolvers<void>();

	get ended(): Promise<void> {
		return this.#end.promise;
	}

	end(): void {
		this.#end.resolve();
	}
}

const withinMs = 20_000;

describe("WaitingPool", function () {
	this.timeout(60_000);
	let living: Set<Played>;
	let starting: number;
	let atOnce: number;
	let begin: (signal: AbortSignal) => Promise<void>;
	let closing: AbortController;
	let pool: WaitingPool<Played>;

	const kind = {
		async start(signal: AbortSignal): Promise<Played> {
			starting++;
			atOnce = Math.max(atOnce, starting);
			try {
				await begin(signal);
			} finally {
				starting--;
			}
			const program = new Played();
			living.add(program);
			return program;
		},
		async end(program: Played): Promise<void> {
			living.delete(program);
			program.end();
		},
	};

	beforeEach(() => {
		living = new Set();
		[starting, atOnce] = [0, 0];
		begin = async () => {};
		closing = new AbortController();
		pool = new WaitingPool(kind, 2);
		pool.keep(closing.signal);
	});
	afterEach(async () => {
		closing.abort();
		await pool.close();
	});

	const filled = () => eventually(() => pool.size === 2, { withinMs, what: "two programs wait" });

	it("keeps as many as are wanted, starts one at a time, and replaces those that are taken", async () => {
		await filled();
		const taken = pool.take();
		expect(taken).to.be.an.instanceOf(Played);
		expect(pool.size).to.equal(1);
		await filled();
		expect(living.size).to.equal(3);
		expect(atOnce).to.equal(1);
	});

	it("replaces one that has ended, and says so meanwhile", async () => {
		await filled();
		const [one] = living;
		one?.end();
		await eventually(() => pool.size === 1);
		expect(pool.failure).to.be.an.instanceOf(Error);
		expect(living.has(one!)).to.equal(false);
		await filled();
		expect(pool.failure).to.equal(undefined);
	});

	it("goes on after failures, and tells the last one", async () => {
		begin = async () => {
			throw new Error("no room");
		};
		await eventually(() => pool.failure instanceof Error && pool.failure.message === "no room", { withinMs });
		begin = async () => {};
		await filled();
		expect(pool.failure).to.equal(undefined);
	});

	it("ends all and starts others when they are to be replaced", async () => {
		await filled();
		const former = [...living];
		pool.replaceAll();
		expect(pool.size).to.equal(0);
		expect(living.size).to.equal(0);
		await filled();
		for (const one of former) expect(living.has(one)).to.equal(false);
	});

	it("has none when it is closed, also of those that wait", async () => {
		await filled();
		closing.abort();
		await pool.close();
		expect(living.size).to.equal(0);
		expect(pool.take()).to.equal(undefined);
	});

	for (const [what, start] of [
		["gives up", async (signal: AbortSignal) => aborted(signal).then(() => signal.throwIfAborted())],
		["is done all the same", (signal: AbortSignal) => aborted(signal)],
	] as const)
		it(`has none when it is closed during a start that ${what}`, async () => {
			begin = start;
			await eventually(() => starting === 1, { withinMs });
			closing.abort();
			await pool.close();
			expect([living.size, pool.size]).to.deep.equal([0, 0]);
		});
});
