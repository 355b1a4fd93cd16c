import { expect } from "chai";
import { Readiness } from "#host/readiness.ts";

describe("Readiness", () => {
	function readiness(checks: Record<string, () => Promise<void>>): Readiness {
		return new Readiness(new Map(Object.entries(checks)));
	}

	it("lacks nothing when all checks succeed", async () => {
		expect(await readiness({ store: async () => {} }).missing()).to.deep.equal([]);
	});

	it("names everything that is missing, and why", async () => {
		const failing = async (): Promise<void> => {
			throw new Error("the disk is full");
		};
		expect(await readiness({ store: failing, log: async () => {}, bus: failing }).missing()).to.deep.equal([
			"store: the disk is full",
			"bus: the disk is full",
		]);
	});

	it("leaves out what follows from a bus that is away, and nothing else", async () => {
		const failing = async (): Promise<void> => {
			throw new Error("is away");
		};
		const checks = { services: failing, store: failing, relay: failing, bus: failing };
		expect(await readiness(checks).missing()).to.deep.equal(["store: is away", "bus: is away"]);
		expect(await readiness({ services: failing }).missing()).to.deep.equal(["services: is away"]);
	});

	it("checks once for all concurrent questions, and again for the next one", async () => {
		let checks = 0;
		const one = readiness({
			store: async () => {
				checks++;
			},
		});
		await Promise.all([one.missing(), one.missing(), one.missing()]);
		expect(checks).to.equal(1);
		await one.missing();
		expect(checks).to.equal(2);
	});

	it("has failed when a check does not answer within 2 s", async () => {
		const silent = (): Promise<void> => new Promise(() => {});
		expect(await readiness({ store: silent }).missing()).to.deep.equal(["store: no answer within 2000 ms"]);
	});

	it("is not ready when the process ends, whatever a running check returns", async () => {
		const release = Promise.withResolvers<void>();
		const one = readiness({ store: () => release.promise });
		const asked = one.missing();
		one.drain();
		release.resolve();
		expect(await asked).to.deep.equal(["the process is ending"]);
		expect(await one.missing()).to.deep.equal(["the process is ending"]);
	});
});
