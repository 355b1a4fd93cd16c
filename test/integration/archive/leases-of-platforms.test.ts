/** Restores into a shared store in which a platform holds a lease, or held it until it was killed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Installation } from "#host/archive/installation.ts";
import { openSharedStore, refuseJoined, refuseSharedStore } from "#host/archive/shared-target.ts";
import { processCollection } from "#host/presence/process-collection.ts";
import { monotonic, turnClock } from "#shared/base/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import { smallInstallation } from "../../support/archive/small-installation.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type MongodbEndpoint, startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";

const hour = 3_600_000;

describe("a restore, as to leases in a shared store,", function () {
	this.timeout(60_000);
	let folder: string;
	let endpoint: MongodbEndpoint;
	let place: Installation;
	let store: DocumentStore;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-leases-"));
		endpoint = await startMongodbEndpoint();
		place = smallInstallation(folder, endpoint.url);
		store = await place.newStore("");
		await openSharedStore(store, place.collections);
	});
	afterEach(async () => {
		await store.close();
		await endpoint.close();
		rmSync(folder, { recursive: true });
	});

	const refuse = () => refuseSharedStore(store, place.collections, true);

	/** Writes the lease of a process that was killed. @param until Its end by the clock of that process. */
	const killed = (until: number) =>
		store.insert(leaseCollection, { id: "migrations", wire: "{}", holder: "dead", fence: 1, until });

	for (const ahead of [-hour, 0, hour])
		it(`refuses while a platform renews one, with a clock that is ${ahead / hour} h ahead`, async () => {
			const lease = await new StoredLeases(store).acquire("migrations");
			const turnBack = turnClock({ now: () => Date.now() + ahead, monotonic: () => performance.now() });
			try {
				// The holder goes on by the same clock, so the end that it has written is moved by hand.
				await store.update(leaseCollection, "migrations", {}, { set: { until: Date.now() + 4_500 } });
				const { message } = await failureOf<Error>(refuse());
				expect(message).to.include('A platform uses this store (it holds the lease "migrations")');
			} finally {
				turnBack();
				await lease?.release();
			}
		});

	for (const until of [-hour, hour])
		it(`goes on when nobody renews one for its length, whose end is ${until / hour} h from now`, async () => {
			await killed(Date.now() + until);
			const since = monotonic();
			await refuse();
			expect(monotonic() - since, "milliseconds").to.be.greaterThan(4_500);
		});

	it("waits for none in an empty store, or for those that were released", async () => {
		const since = monotonic();
		await refuse();
		await (await new StoredLeases(store).acquire("migrations"))?.release();
		await refuse();
		expect(monotonic() - since, "milliseconds").to.be.below(2_000);
	});

	it("looks for processes once more when it has marked the store", async () => {
		await refuseJoined(store);
		const wire = JSON.stringify({ id: "one", services: ["core"], machine_name: "late" });
		await store.insert(processCollection, { id: "one", wire, seen: Date.now() });
		expect((await failureOf<Error>(refuseJoined(store))).message).to.include('"core" on "late"');
	});
});
