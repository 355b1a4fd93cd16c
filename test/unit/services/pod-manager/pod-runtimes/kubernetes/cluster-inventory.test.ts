import { expect } from "chai";
import { clusterInventory, type ListedParts } from "#services/pod-manager/pod-runtimes/kubernetes/cluster-inventory.ts";
import { noAnswer } from "#shared/kubernetes/api/api-error.ts";
import { failureOf } from "../../../../../support/failure-of.ts";
import { sessionId } from "../../../../../support/kubernetes/pods/pod-objects.ts";
import { memoryPod } from "../../../../../support/pods/memory-pods.ts";

const claim = { workspaceId: sessionId, uid: "u", isEnding: false, size: { bytes: 7 } };
const launch = { sessionId, generation: 2 };
const fails = () => Promise.reject(noAnswer("AnswerTooLarge", "The cluster's API has answered more than 1 byte"));

describe("the inventory of a cluster", () => {
	let taken: number;

	function partsOf(broken: Partial<ListedParts["objects"] & ListedParts["pods"]> = {}, trouble?: string): ListedParts {
		const { all = async () => [memoryPod(sessionId, 1, "ready")], ...objects } = broken;
		taken = 0;
		return {
			objects: {
				launches: async () => [launch],
				volumeClaims: async () => ({ claims: [claim], leftOut: [] }),
				...objects,
			},
			pods: { all },
			watched: { trouble },
			sizes: { take: (claims) => void (taken += claims.length) },
		};
	}

	it("has the pods, the launches without a pod, the workspaces, and what is wrong with the watch", async () => {
		const { pods, unfinished, workspaces, troubles } = await clusterInventory(partsOf({}, "slow"));
		expect(pods.map(({ name }) => name)).to.deep.equal([`session-${sessionId}-g1`]);
		expect(unfinished.map(({ name }) => name)).to.deep.equal([`session-${sessionId}-g2`]);
		expect([workspaces, troubles, taken]).to.deep.equal([[sessionId], ["slow"], 1]);
	});

	it("has everything else when one kind cannot be listed, and says which one and why", async () => {
		const withoutAccounts = await clusterInventory(partsOf({ launches: fails }));
		expect(withoutAccounts.pods).to.have.length(1);
		expect(withoutAccounts).to.deep.include({ unfinished: [], workspaces: [sessionId] });
		expect(withoutAccounts.troubles).to.deep.equal([
			"The accounts of sessions cannot be listed: The cluster's API has answered more than 1 byte",
		]);
		const withoutClaims = await clusterInventory(partsOf({ volumeClaims: fails }));
		expect(withoutClaims.unfinished).to.have.length(1);
		expect([withoutClaims.workspaces, taken]).to.deep.equal([undefined, 0]);
		expect(withoutClaims.troubles).to.deep.equal([
			"The volume claims of sessions cannot be listed: The cluster's API has answered more than 1 byte",
		]);
	});

	it("names a claim that is too large to be read", async () => {
		const volumeClaims = async () => ({ claims: [claim], leftOut: ["filled", "another"] });
		const { workspaces, troubles } = await clusterInventory(partsOf({ volumeClaims }));
		expect(workspaces).to.deep.equal([sessionId]);
		expect(troubles).to.deep.equal(['One of the volume claims of sessions, "filled", is too large to be read']);
	});

	it("fails without pods, because every account would be one that a pod has left behind, and keeps the sizes", async () => {
		const error = await failureOf<Error>(clusterInventory(partsOf({ all: fails, launches: fails })));
		expect(error.message).to.match(
			/^The pods of sessions cannot be listed: .*; The accounts of sessions cannot be listed: /,
		);
		expect(taken).to.equal(1);
	});
});
