/** Processes that begin beside others: who stays, who is refused, and who waits. */
import { expect } from "chai";
import { ProcessPresence, type Registry } from "#host/process-presence.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { ProcessEntry } from "#shared/contracts/processes.ts";
import { processCollection } from "#host/presence/process-collection.ts";
import { ProcessRegistry } from "#host/presence/process-registry.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

type Outcome = "waits" | "stays" | "refused";

describe("the presence of processes", () => {
	let opened: StoreUnderTest;
	let registry: Registry;
	let ahead: number;
	let turnBack: () => void;

	beforeEach(async () => {
		opened = await openEmbedded([processCollection]);
		registry = new ProcessRegistry(opened.store);
		ahead = 0;
		turnBack = turnClock({ now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead });
	});
	afterEach(async () => {
		turnBack();
		await opened.discard();
	});

	function entryOf(id: string, templates: string): ProcessEntry {
		const alike = { templates };
		return { id, machine_name: "m", machine: "m", services: [id], release: "r", always: {}, alike, lone: {} };
	}

	function presenceOf(entry: ProcessEntry): ProcessPresence {
		const log = { error() {}, warn() {}, info() {}, debug() {} };
		return new ProcessPresence(entry, { shortcomings: [], readiness: new Map(), log });
	}

	/** Begins to join; the outcome is read later. */
	function joining(id: string, templates: string): { outcome: Outcome; done: Promise<void> } {
		const one: { outcome: Outcome; done: Promise<void> } = { outcome: "waits", done: Promise.resolve() };
		one.done = presenceOf(entryOf(id, templates))
			.join(registry)
			.then(
				() => void (one.outcome = "stays"),
				() => void (one.outcome = "refused"),
			);
		return one;
	}

	const isKnown = (id: string) =>
		eventually(async () => (await opened.store.get(processCollection, id)) !== undefined, { what: `${id} is known` });

	for (const ids of [
		["a", "b"],
		["b", "a"],
	])
		it(`leaves the first of two unlike ones that begin together, ${ids.join(" before ")}`, async () => {
			const [first, second] = ids.map((id) => joining(id, `templates of ${id}`));
			await Promise.all([first?.done, second?.done]);
			const stored = await Promise.all(ids.map((id) => opened.store.get(processCollection, id)));
			expect([first?.outcome, second?.outcome]).to.have.members(["refused", "stays"]);
			const stays = first?.outcome === "stays" ? 0 : 1;
			expect(stored.map((one) => one !== undefined)).to.deep.equal([stays === 0, stays === 1]);
			expect(JSON.parse(stored[stays]?.wire ?? "{}")).to.not.have.property("isJoining");
		});

	it("refuses nobody because of one that is about to be refused itself", async () => {
		const running = entryOf("running", "present");
		await registry.announce(running);
		const unlike = joining("unlike", "other");
		await isKnown("unlike");
		const like = joining("like", "present");
		await isKnown("like");
		const seenOf = async () => (await opened.store.get(processCollection, "like"))?.seen;
		const first = await seenOf();
		await eventually(async () => (await seenOf()) !== first, { what: "both have looked twice" });
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect([unlike.outcome, like.outcome]).to.deep.equal(["waits", "waits"]);
		await new Promise((resolve) => setTimeout(resolve, 5));
		await registry.announce(running);
		await Promise.all([unlike.done, like.done]);
		expect([unlike.outcome, like.outcome]).to.deep.equal(["refused", "stays"]);
	});

	it("waits for one that was killed until that counts as ended, joined or not", async () => {
		await registry.announce(entryOf("killed", "other"));
		await registry.announce({ ...entryOf("killed-at-start", "third"), isJoining: true });
		const next = joining("next", "present");
		await isKnown("next");
		expect(next.outcome).to.equal("waits");
		ahead += 26_000;
		await next.done;
		expect(next.outcome).to.equal("stays");
	});

	it("compares places from the moment when they are known, however long the process has run", async () => {
		const other = { ...entryOf("other", "present"), place: { host: "b", isReachable: false } };
		const one = presenceOf(entryOf("one", "present"));
		await one.join(registry);
		await registry.announce(other);
		const adding = failureOf(one.addPlace({ host: "a", isReachable: false }));
		const isPlaced = async () =>
			(await opened.store.get(processCollection, "one"))?.wire.includes("isReachable") === true;
		await eventually(isPlaced, { what: "its place is known" });
		await new Promise((resolve) => setTimeout(resolve, 5));
		await registry.announce(other);
		expect(String(await adding)).to.include("listen_host");
	});
});
