/** A mapping is for sessions of its creator or of the tenant, because issues move with the credential of their owner. */
import { expect } from "chai";
import { mappingCollection } from "#services/tracker/mappings/mapping-collection.ts";
import { MappingRecords } from "#services/tracker/mappings/mapping-records.ts";
import { mappingCreate } from "#shared/contracts/tracker/mappings.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { alice, bob, carol, root } from "../../support/bus/test-brokers.ts";
import { completed } from "../../support/completed.ts";
import { failureOf } from "../../support/failure-of.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

const repo_url = "https://git.example/org/shop";

describe("mappings", () => {
	it("are for the sessions of their creator, an administrator's for all of the tenant, and the own one goes first", async () => {
		const opened = await openEmbedded([mappingCollection]);
		try {
			const mappings = new MappingRecords(opened.store, ["https"]);
			const map = (who: typeof alice, project_id: string) =>
				mappings.create(who, completed(mappingCreate, { repo_url, project_id, on_start: "closed" }));
			const projects = () =>
				Promise.all([alice, bob, carol].map(async (who) => (await mappings.ofRepository(who, repo_url))?.project_id));
			const { id } = JSON.parse(await map(bob, "OF-BOB")) as { id: string };
			expect(await projects(), "a colleague's").to.deep.equal([undefined, "OF-BOB", undefined]);
			expect(await failureOf(map(bob, "AGAIN"))).to.be.instanceOf(ConflictError);
			await map(root, "OF-ALL");
			expect(await projects()).to.deep.equal(["OF-ALL", "OF-BOB", undefined]);
			await mappings.delete(bob, id);
			expect(await projects()).to.deep.equal(["OF-ALL", "OF-ALL", undefined]);
		} finally {
			await opened.discard();
		}
	});
});
