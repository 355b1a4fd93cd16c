import { expect } from "chai";
import { WaitingPool } from "#services/pod-manager/pod-runtimes/machine/waiting-pool.ts";
import { nextTurn } from "#shared/base/clock.ts";
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
	/** The last words of all programs. */
	let said: string;
	/** An end lasts until this resolves. */
	let ending: Promise<void> | undefined;
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
		lastWords: async (): Promise<string> => said,
		async end(program: Played): Promise<void> {
			if (ending) await ending;
			living.delete(program);
			program.end();
		},
	};

	beforeEach(() => {
		living = new Set();
		[starting, atOnce] = [0, 0];
		begin = async () => {};
		[said, ending] = ["", undefined];
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
		expect(pool.failure).to.have.property("message", "One that waited has ended");
		expect(living.has(one!)).to.equal(false);
		await filled();
		expect(pool.failure).to.equal(undefined);
	});

	it("tells the last words of one that has ended, which it ends before it is closed", async () => {
		await filled();
		const released = Promise.withResolvers<void>();
		[said, ending] = ["out of memory", released.promise];
		const [one] = living;
		one?.end();
		await eventually(() => pool.failure !== undefined);
		expect(pool.failure).to.have.property("message", "One that waited has ended: out of memory");
		await expectClosedAfter(released);
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

	it("is closed when those that are replaced have ended", async () => {
		await filled();
		const released = Promise.withResolvers<void>();
		ending = released.promise;
		expect(pool.first).to.equal([...living][0]);
		pool.replaceAll();
		expect(pool.first).to.equal(undefined);
		await expectClosedAfter(released);
	});

	async function expectClosedAfter(released: PromiseWithResolvers<void>): Promise<void> {
		let isClosed = false;
		closing.abort();
		const closed = pool.close().then(() => (isClosed = true));
		await nextTurn();
		expect(isClosed).to.equal(false);
		released.resolve();
		await closed;
		expect(living.size).to.equal(0);
	}

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
