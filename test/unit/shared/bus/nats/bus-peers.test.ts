/** The table of who calls whom, against the sources. */
import { expect } from "chai";
import { busPeers } from "#shared/bus/nats/bus-peers.ts";
import { serviceFolders } from "#host/service-folders.ts";
import { peersInSources } from "../../../../support/bus/peers-in-sources.ts";

describe("busPeers", () => {
	it("has each service folder, in the order in which they start", () => {
		expect(Object.keys(busPeers)).to.deep.equal(serviceFolders);
	});

	it("names those that the sources call and tell, and no others", async () => {
		expect(busPeers).to.deep.equal(await peersInSources(serviceFolders));
	});
});
